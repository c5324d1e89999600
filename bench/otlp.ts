/**
 * OTLP metrics up to the appender: points of streams that are known, against the same points when each stream is seen for
 * the first time, which is what every point would cost without the memory of streams. What a collector sends: one
 * resource a pod, 60 metrics of 6 attributes each. Points per second of processor time, this process' own.
 */
import { Intake } from '../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../src/ingest/options.ts'
import { createOtlpMetricsIngest } from '../src/ingest/otlp/metrics.ts'
import { OTLP_DEFAULTS } from '../src/ingest/otlp/options.ts'
import type { Metric, ResourceMetrics } from '../src/wire/otlp/metrics.ts'
import { decodeMetricsJson } from '../src/wire/otlp/metrics-json.ts'
import { decodeMetricsProtobuf } from '../src/wire/otlp/metrics-protobuf.ts'
import { encodeRequestJson, encodeRequestProtobuf, withCounts } from '../test/support/otlp.ts'
import { CountingAppender } from './decode.ts'
import { atOnce } from '../test/support/at-once.ts'

const RESOURCES = 33
const METRICS = 60
const NOW_MS = 1_787_220_000_000
const MEASURED_MS = 2000

export interface OtlpResult {
  readonly pointsPerSecond: number
  readonly jsonPointsPerSecond: number
  readonly firstSightPointsPerSecond: number
  /** Known streams to new ones, protobuf. */
  readonly ratio: number
}

/** Prints one table, and answers its numbers. Takes about ten seconds. */
export function run(): OtlpResult {
  const request = withCounts(Array.from({ length: RESOURCES }, (_, i) => resource(i)))
  const protobuf = encodeRequestProtobuf(request)
  const json = Buffer.from(encodeRequestJson(request))
  const limits = { pointsMax: INGEST_DEFAULTS.samplesPerRequestMax, attributesMax: OTLP_DEFAULTS.attributesMax }
  const pointsPerSecond = measure(writerOf(protobuf, 'protobuf', OTLP_DEFAULTS.streamsMax))
  const decodedPerSecond = measure(() => atOnce(decodeMetricsProtobuf(protobuf, limits)).pointCount)
  const jsonPointsPerSecond = measure(writerOf(json, 'json', OTLP_DEFAULTS.streamsMax))
  const jsonDecodedPerSecond = measure(() => atOnce(decodeMetricsJson(json, limits)).pointCount)
  const firstSightPointsPerSecond = measure(writerOf(protobuf, 'protobuf', 2))
  const ratio = pointsPerSecond / firstSightPointsPerSecond
  const text = (value: number): string =>
    `${(value / 1e6).toFixed(2)} M points/s  ${(1e9 / value).toFixed(0)} ns a point`
  console.log(
    `OTLP, ${RESOURCES * METRICS} points a request, ${protobuf.length} bytes as protobuf, ${json.length} as JSON`,
  )
  console.log(`  protobuf, known streams    ${text(pointsPerSecond)}`)
  console.log(`    of that, decoding        ${text(decodedPerSecond)}`)
  console.log(`  JSON, known streams        ${text(jsonPointsPerSecond)}`)
  console.log(`    of that, decoding        ${text(jsonDecodedPerSecond)}`)
  console.log(`  protobuf, first sight      ${text(firstSightPointsPerSecond)}`)
  console.log(`  ratio                      ${ratio.toFixed(1)}`)
  return { pointsPerSecond, jsonPointsPerSecond, firstSightPointsPerSecond, ratio }
}

/** @param streamsMax 2: each stream is forgotten before it comes again */
function writerOf(body: Uint8Array, encoding: 'protobuf' | 'json', streamsMax: number): () => number {
  const intake = new Intake(new CountingAppender(), INGEST_DEFAULTS)
  const ingest = createOtlpMetricsIngest({ intake, otlp: { ...OTLP_DEFAULTS, streamsMax } })
  return () => atOnce(ingest.write(body, encoding, { nowMs: NOW_MS })).itemsTaken
}

/** Points per second of processor time of `once`, which answers how many it took: best of five, after a warm-up. */
function measure(once: () => number): number {
  for (const until = performance.now() + MEASURED_MS / 4; performance.now() < until;) once()
  let best = 0
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage()
    const until = performance.now() + MEASURED_MS / 5
    let points = 0
    while (performance.now() < until) points += once()
    const { user, system } = process.cpuUsage(start)
    best = Math.max(best, (points * 1e6) / (user + system))
  }
  return best
}

function resource(number: number): ResourceMetrics {
  const attributes = {
    'service.name': 'virt-controller',
    'service.namespace': 'kubevirt-hyperconverged',
    'service.instance.id': `virt-controller-6f7d9c5b8d-${String(number).padStart(5, 'x')}`,
    'service.version': '1.17.0',
    'k8s.cluster.uid': '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10',
    'k8s.cluster.name': 'prague-prod-01',
    'k8s.namespace.name': 'kubevirt-hyperconverged',
    'k8s.pod.name': `virt-controller-6f7d9c5b8d-${String(number).padStart(5, 'x')}`,
    'host.name': `worker-${number % 7}`,
  }
  const scope = { name: 'kubevirt', version: '1.7.0', attributes: [], schemaUrl: '' }
  return {
    attributes: listOf(attributes),
    scopes: [{ scope, metrics: Array.from({ length: METRICS }, (_, i) => metric(i)) }],
  }
}

function metric(number: number): Metric {
  const attributes = {
    controller: 'workqueue-vmi',
    operation: number % 2 === 0 ? 'create' : 'update',
    namespace: 'openshift-cnv',
    phase: 'Running',
    reason: `reason-${number % 9}`,
    node: `worker-${number % 7}`,
  }
  const point = {
    attributes: listOf(attributes),
    startMs: NOW_MS - 60_000,
    timeMs: NOW_MS,
    isStale: false,
    value: number % 4,
  }
  const name = `kubevirt.fleet.metric_${number}.operations`
  return { name, unit: 's', data: { kind: 'sum', points: [point], temporality: 'cumulative', isMonotonic: true } }
}

function listOf(texts: Readonly<Record<string, string>>): { readonly key: string; readonly value: string }[] {
  return Object.entries(texts).map(([key, value]) => ({ key, value }))
}
