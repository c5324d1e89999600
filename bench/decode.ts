/**
 * Decode and recognise: the ingest path up to the appender, against the same path written the obvious way (npm snappy,
 * one object per label and sample, a string key per series), in one run on one payload. What a fleet sends: 60 metrics,
 * 12 to 20 labels, one sample a series, labels about 500 bytes, all series known after the first request.
 */
import { uncompressSync } from 'snappy'
import { Intake } from '../src/ingest/intake.ts'
import { createRemoteWriteIngest } from '../src/ingest/remote-write.ts'
import { INGEST_DEFAULTS } from '../src/ingest/options.ts'
import { APPENDED, type AppendOutcome, type Appender } from '../src/model/appender.ts'
import { Labels } from '../src/model/labels.ts'
import { ProtobufReader } from '../src/wire/protobuf.ts'
import { encodeWriteRequest } from '../src/wire/remote-write-encode.ts'
import { encodeWriteRequestV2 } from '../src/wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../src/wire/snappy.ts'

const SERIES = 2000
const METRICS = 60
const MEASURED_MS = 2000

export interface DecodeResult {
  readonly samplesPerSecond: number
  /** Of the same samples as remote write 2.0. */
  readonly v2SamplesPerSecond: number
  readonly baselineSamplesPerSecond: number
  readonly ratio: number
}

/** Prints one table, and answers its numbers. Takes about five seconds. */
export function run(): DecodeResult {
  const series = fleetSeries()
  const body = encodeSnappy(encodeWriteRequest(series))
  const ours = new CountingAppender()
  const ingest = createRemoteWriteIngest({ intake: new Intake(ours, INGEST_DEFAULTS) })
  const samplesPerSecond = measure(() => ingest.write(body, { nowMs: 1_787_220_000_000 }).samplesTaken)
  const bodyV2 = encodeSnappy(encodeWriteRequestV2(series))
  const v2SamplesPerSecond = measure(
    () => ingest.write(bodyV2, { nowMs: 1_787_220_000_000, protocol: '2.0' }).samplesTaken,
  )
  const theirs = new CountingAppender()
  const refs = new Map<string, number>()
  const baselineSamplesPerSecond = measure(() => writeNaively(body, refs, theirs))
  const ratio = samplesPerSecond / baselineSamplesPerSecond
  const million = (value: number): string => `${(value / 1e6).toFixed(2)} M samples/s`
  console.log(`decode and recognise, ${SERIES} samples a request, ${body.length} bytes compressed`)
  console.log(`  columns and bytes    ${million(samplesPerSecond)}  ${(1e9 / samplesPerSecond).toFixed(0)} ns a sample`)
  console.log(`  the same in 2.0      ${million(v2SamplesPerSecond)}  ${bodyV2.length} bytes compressed`)
  console.log(`  objects and strings  ${million(baselineSamplesPerSecond)}`)
  console.log(`  ratio                ${ratio.toFixed(1)}`)
  return { samplesPerSecond, v2SamplesPerSecond, baselineSamplesPerSecond, ratio }
}

/** Keeps nothing: the store is measured by another file. */
export class CountingAppender implements Appender {
  samples = 0
  /** Uses what it is given, so that the compiler cannot leave the decoding out. */
  sum = 0
  readonly #refs = new Map<string, number>()

  resolve(labels: Labels): number {
    const ref = this.#refs.get(labels.key) ?? this.#refs.size + 1
    this.#refs.set(labels.key, ref)
    return ref
  }

  find(labels: Labels): number | undefined {
    return this.#refs.get(labels.key)
  }

  seriesOf(): number {
    return 0
  }

  newestMs(): number {
    return -Infinity
  }

  append(ref: number, timeMs: number, value: number): AppendOutcome {
    this.sum += ref + timeMs + value
    this.samples++
    return APPENDED
  }

  appendStale(ref: number, timeMs: number): AppendOutcome {
    return this.append(ref, timeMs, 0)
  }

  appendHistogram(ref: number, timeMs: number): AppendOutcome {
    return this.append(ref, timeMs, 0)
  }

  appendExemplar(): boolean {
    return true
  }

  describe(): boolean {
    return true
  }

  commit(): Promise<void> {
    return Promise.resolve()
  }
}

/** Samples per second of `once`, which answers how many it took: best of five, after a warm-up. */
function measure(once: () => number): number {
  for (const until = performance.now() + MEASURED_MS / 4; performance.now() < until;) once()
  let best = 0
  for (let round = 0; round < 5; round++) {
    const start = performance.now()
    let samples = 0
    while (performance.now() - start < MEASURED_MS / 5) samples += once()
    best = Math.max(best, (samples * 1000) / (performance.now() - start))
  }
  return best
}

function fleetSeries() {
  return Array.from({ length: SERIES }, (_, i) => {
    const metric = i % METRICS
    const cluster = Math.floor(i / METRICS)
    const labels: Record<string, string> = {
      __name__: `kubevirt_fleet_metric_${metric}_with_a_usual_length_total`,
      cluster_id: `2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b${String(cluster).padStart(4, '0')}`,
      container: 'virt-controller',
      endpoint: 'metrics',
      instance: `10.${cluster}.0.1:8443`,
      job: 'kubevirt-prometheus-metrics',
      namespace: 'kubevirt-hyperconverged',
      pod: `virt-controller-6f7d9c5b8d-${String(metric).padStart(5, 'x')}`,
      prometheus: 'openshift-monitoring/k8s',
      prometheus_replica: 'prometheus-k8s-0',
      service: 'kubevirt-prometheus-metrics',
      managed_by: 'openshift-cluster-monitoring-operator',
    }
    for (let extra = 0; extra < metric % 9; extra++) labels[`label_${extra}`] = `value-${extra}-of-${metric}`
    return { labels: Labels.of(labels), samples: [{ timeMs: 1_787_220_000_000, value: metric % 4 }] }
  })
}

interface NaiveSeries {
  labels: { name: string; value: string }[]
  samples: { value: number; timeMs: number }[]
}

/** The obvious way, without checks: decode all to objects, sort and join the labels, look the string up. */
function writeNaively(body: Uint8Array, refs: Map<string, number>, appender: Appender): number {
  const bytes = uncompressSync(Buffer.from(body)) as Buffer
  let taken = 0
  for (const series of decodeNaively(bytes)) {
    series.labels.sort((a, b) => (a.name < b.name ? -1 : 1))
    const key = series.labels.map(({ name, value }) => `${name}=${value}`).join('\0')
    let ref = refs.get(key)
    if (ref === undefined) {
      ref = appender.resolve(Labels.fromPairs(series.labels.map(({ name, value }) => [name, value] as const)))!
      refs.set(key, ref)
    }
    for (const { timeMs, value } of series.samples) if (appender.append(ref, timeMs, value) === APPENDED) taken++
  }
  return taken
}

function decodeNaively(bytes: Buffer): NaiveSeries[] {
  const reader = new ProtobufReader(bytes)
  const request: NaiveSeries[] = []
  const fields = (end: number, read: (field: number, fieldEnd: number) => void): void => {
    while (reader.position < end) {
      const tag = reader.tag(end)
      if ((tag & 7) !== 2) read(tag >>> 3, end)
      else {
        const fieldEnd = reader.lengthDelimitedEnd(end)
        read(tag >>> 3, fieldEnd)
        reader.position = fieldEnd
      }
    }
  }
  fields(bytes.length, (_, seriesEnd) => {
    const series: NaiveSeries = { labels: [], samples: [] }
    fields(seriesEnd, (field, end) => {
      if (field === 1) {
        const label = { name: '', value: '' }
        fields(end, (part, partEnd) => {
          label[part === 1 ? 'name' : 'value'] = bytes.toString('utf8', reader.position, partEnd)
        })
        series.labels.push(label)
      } else {
        const sample = { value: 0, timeMs: 0 }
        fields(end, (part, partEnd) => {
          if (part === 2) sample.timeMs = reader.int64(partEnd)
          else {
            sample.value = bytes.readDoubleLE(reader.position)
            reader.position += 8
          }
        })
        series.samples.push(sample)
      }
    })
    request.push(series)
  })
  return request
}
