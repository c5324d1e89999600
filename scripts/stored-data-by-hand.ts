/** What `make-stored-data.ts` sends beside the simulated fleet: data of the kinds that fleet lacks, and user actions. */
import { Labels } from '../src/model/labels.ts'
import { FIXED64, ProtobufWriter, VARINT } from '../src/wire/protobuf.ts'
import { writeSample } from '../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../src/wire/snappy.ts'
import { histogramBytes, histogramOf, sentOf } from '../test/support/histograms.ts'
import { postWrite } from '../test/support/remote-write.ts'

export const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** In the middle of an upgrade of the first cluster. */
export const END_MS = Date.UTC(2026, 6, 16, 7, 25)

/** Ids that the server assigned; the requests contain them. */
export interface MadeIds {
  silence: string
  fingerprint: string
  traceId: string
}

export interface ByHand {
  /** Sends everything that is due at `timeMs` and was not sent yet. Times rise from call to call. */
  sendUntil(timeMs: number): Promise<void>
  readonly ids: MadeIds
}

/** FixtureLoadHigh at the end: firing, pending, resolved. The last cluster is decommissioned. */
const CLUSTERS = ['fixture-a', 'fixture-b', 'fixture-c', 'fixture-gone'] as const
const GONE_SINCE_MS = END_MS - 50 * HOUR_MS
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

export function createByHand(url: string, token: string): ByHand {
  const ids: MadeIds = { silence: '', fingerprint: '', traceId: TRACE_ID }
  const headers = { authorization: `Bearer ${token}` }
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const actions = [...telemetry(send), ...people(send, ids)].sort((a, b) => a.atMs - b.atMs)
  let sampledMs = END_MS - 24 * 24 * HOUR_MS
  return {
    ids,
    async sendUntil(timeMs) {
      for (; sampledMs <= timeMs; sampledMs += sampledMs < END_MS - 3 * HOUR_MS ? HOUR_MS : MINUTE_MS) {
        const response = await postWrite(url, encodeSnappy(writeRequest(sampledMs)), headers)
        if (!response.ok) throw new Error(`write: ${response.status} ${await response.text()}`)
      }
      while (actions.length > 0 && actions[0]!.atMs <= timeMs) await actions.shift()!.run()
    },
  }
}

function loadOf(cluster: (typeof CLUSTERS)[number], timeMs: number): number {
  const beforeMs = END_MS - timeMs
  if (cluster === 'fixture-a' && beforeMs <= 40 * MINUTE_MS) return 0.95
  if (cluster === 'fixture-b' && beforeMs <= 4 * MINUTE_MS) return 0.92
  if (cluster === 'fixture-c' && beforeMs <= 50 * MINUTE_MS && beforeMs > 12 * MINUTE_MS) return 0.97
  return 0.2 + ((timeMs / HOUR_MS) % 24) / 48
}

/** Samples, a native histogram, an exemplar and metadata of one scrape of each cluster. */
function writeRequest(timeMs: number): Uint8Array {
  const request = new ProtobufWriter()
  const series = (labels: Readonly<Record<string, string>>, write: (writer: ProtobufWriter) => void): void => {
    const one = new ProtobufWriter()
    for (const [name, value] of Labels.of(labels).pairs()) one.bytes(1, labelBytes(name, value))
    write(one)
    request.bytes(1, one.finish())
  }
  const sample = (value: number) => (writer: ProtobufWriter) => {
    const part = new ProtobufWriter()
    writeSample(part, { timeMs, value })
    writer.bytes(2, part.finish())
  }
  const count = Math.round((timeMs - END_MS) / MINUTE_MS) + 100_000
  for (const cluster of CLUSTERS) {
    if (cluster === 'fixture-gone' && timeMs > GONE_SINCE_MS) continue
    const common = { cluster, job: 'fixture', instance: `${cluster}:9100` }
    series({ ...common, __name__: 'fixture_load' }, sample(loadOf(cluster, timeMs)))
    const name = 'kubevirt-hyperconverged-operator.v1.17.0'
    series({ ...common, __name__: 'csv_succeeded', name, version: '1.17.0' }, sample(1))
    const isStopped = cluster === 'fixture-c' && END_MS - timeMs < 9 * MINUTE_MS
    series({ ...common, __name__: 'fixture_requests_total', code: '200' }, (one) => {
      sample(isStopped ? 99_991 : count)(one)
      if (timeMs >= END_MS - HOUR_MS && count % 10 === 0) one.bytes(3, exemplarBytes(timeMs, count))
    })
    if (cluster === 'fixture-a' && timeMs >= END_MS - 3 * HOUR_MS) {
      series({ ...common, __name__: 'fixture_phase_seconds' }, (one) => {
        one.bytes(4, histogramBytes(sentOf(histogramOf(8, count), timeMs)))
      })
    }
  }
  for (const [type, family, help, unit] of METADATA) {
    const one = new ProtobufWriter()
    one.tag(1, VARINT)
    one.varint(type)
    one.text(2, family)
    one.text(4, help)
    one.text(5, unit)
    request.bytes(3, one.finish())
  }
  return request.finish()
}

const [COUNTER, GAUGE, HISTOGRAM] = [1, 2, 3]
const METADATA = [
  [COUNTER, 'fixture_requests_total', 'Requests that were answered.', ''],
  [GAUGE, 'fixture_load', 'Load of the cluster, from 0 to 1.', ''],
  [HISTOGRAM, 'fixture_phase_seconds', 'How long a phase took.', 'seconds'],
] as const

function labelBytes(name: string, value: string): Uint8Array {
  const label = new ProtobufWriter()
  label.text(1, name)
  label.text(2, value)
  return label.finish()
}

function exemplarBytes(timeMs: number, value: number): Uint8Array {
  const exemplar = new ProtobufWriter()
  exemplar.bytes(1, labelBytes('trace_id', TRACE_ID))
  exemplar.tag(2, FIXED64)
  exemplar.double(value)
  exemplar.tag(3, VARINT)
  exemplar.int64(timeMs)
  return exemplar.finish()
}

interface Action {
  readonly atMs: number
  readonly run: () => Promise<unknown>
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const nanoseconds = (timeMs: number): string => `${timeMs}000000`

/** Plain log records, a trace of a service, and metrics, all by OTLP. */
function telemetry(send: Send): readonly Action[] {
  const resource = { attributes: [text('service.name', 'checkout'), text('k8s.cluster.name', 'fixture-a')] }
  const logs = [30, 20, 10].map((minutes, i): Action => {
    const atMs = END_MS - minutes * MINUTE_MS
    const record = {
      ...{ timeUnixNano: nanoseconds(atMs), severityNumber: 9 + 4 * i, severityText: ['INFO', 'WARN', 'ERROR'][i] },
      body: { stringValue: `request ${i} took long` },
      attributes: [text('path', `/pay/${i}`)],
      traceId: TRACE_ID,
    }
    const body = { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'shop' }, logRecords: [record] }] }] }
    return { atMs, run: () => send('POST', '/v1/logs', body) }
  })
  const spanAt = END_MS - 30 * MINUTE_MS
  const spans = ['00f067aa0ba902b7', '00f067aa0ba902b8'].map((spanId, i) => ({
    ...{ traceId: TRACE_ID, spanId, name: ['POST /pay', 'charge'][i], kind: [2, 3][i] },
    ...(i === 0 ? {} : { parentSpanId: '00f067aa0ba902b7' }),
    ...{ startTimeUnixNano: nanoseconds(spanAt + i * 100), endTimeUnixNano: nanoseconds(spanAt + 900 - i * 100) },
    attributes: [text('http.request.method', 'POST')],
    events: [{ timeUnixNano: nanoseconds(spanAt + 200), name: 'retried', attributes: [text('reason', 'timeout')] }],
    status: { code: i === 0 ? 0 : 2, message: i === 0 ? '' : 'declined' },
  }))
  const traces = { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'shop', version: '2' }, spans }] }] }
  const points = (value: object) => [
    { attributes: [text('queue', 'mail')], timeUnixNano: nanoseconds(spanAt), ...value },
  ]
  const metrics = [
    { name: 'queue.length', unit: '1', description: 'What waits.', gauge: { dataPoints: points({ asInt: '7' }) } },
    {
      ...{ name: 'queue.sent', unit: 'By', description: 'What was sent.' },
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: points({ asDouble: 1234.5 }) },
    },
  ]
  const metricsBody = { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'shop' }, metrics }] }] }
  return [
    ...logs,
    { atMs: spanAt + MINUTE_MS, run: () => send('POST', '/v1/traces', traces) },
    { atMs: spanAt + MINUTE_MS, run: () => send('POST', '/v1/metrics', metricsBody) },
  ]
}

/** Silences, an acknowledgement, decommissions (one is reverted), and alerts of a Prometheus. */
function people(send: Send, ids: MadeIds): readonly Action[] {
  const at = (minutesBefore: number): number => END_MS - minutesBefore * MINUTE_MS
  const time = (minutesBefore: number): string => new Date(at(minutesBefore)).toISOString()
  const external = (alertname: string, startsAt: string, endsAt: string) => ({
    labels: { alertname, cluster: 'fixture-b', severity: 'warning' },
    annotations: { summary: `${alertname} on fixture-b` },
    ...{ startsAt, endsAt, generatorURL: 'http://prometheus.example/graph' },
  })
  const silence = async (alertname: string, createdAtMs: number, endsAtMs: number, untilResolved: boolean) => {
    const matchers = [{ name: 'alertname', op: '=', value: alertname }]
    const body = { matchers, startsAtMs: createdAtMs, endsAtMs, comment: 'known', createdBy: 'ada', untilResolved }
    return (await send('POST', '/api/fleet/v1/silences', body)) as { readonly id: string }
  }
  const decommission = async (cluster: string) => {
    const body = { clusters: [cluster], reason: 'the site was closed', by: 'ada' }
    const made = (await send('POST', '/api/fleet/v1/decommissions', body)) as DecommissionsMade
    return made.decommissions[0]!.id
  }
  return [
    { atMs: at(45), run: () => send('POST', '/api/v2/alerts', [external('NodeDown', time(45), time(-60))]) },
    { atMs: at(44), run: () => send('POST', '/api/v2/alerts', [external('DiskSlow', time(44), time(20))]) },
    { atMs: at(40), run: async () => (ids.silence = (await silence('NodeDown', at(40), at(-300), true)).id) },
    { atMs: at(39), run: () => silence('FixtureLoadHigh', at(39), at(35), false) },
    { atMs: at(30), run: () => decommission('fixture-gone') },
    {
      atMs: at(28),
      run: async () => send('DELETE', `/api/fleet/v1/decommissions/${await decommission('fixture-c')}`),
    },
    {
      atMs: at(15),
      run: async () => {
        const { alerts } = (await send('GET', '/api/fleet/v1/alerts')) as AlertsGiven
        const alert = alerts.find(
          ({ alertname, cluster }) => alertname === 'FixtureLoadHigh' && cluster === 'fixture-a',
        )
        ids.fingerprint = alert!.fingerprint
        await send('POST', `/api/fleet/v1/alerts/${ids.fingerprint}/acknowledge`, { note: 'on it', by: 'ada' })
      },
    },
  ]
}

interface DecommissionsMade {
  readonly decommissions: readonly { readonly id: string }[]
}

interface AlertsGiven {
  readonly alerts: readonly { readonly alertname: string; readonly cluster: string; readonly fingerprint: string }[]
}
