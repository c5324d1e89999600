import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import type { DebugIngest } from '../../src/contract/debug.ts'
import type { IngestOptions } from '../../src/ingest/options.ts'
import type { OtlpOptions } from '../../src/ingest/otlp/options.ts'
import { Labels } from '../../src/model/labels.ts'
import type { RefusalReason } from '../../src/model/refusal.ts'
import { encodeWriteRequestV2 } from '../../src/wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import type { Metric } from '../../src/wire/otlp/metrics.ts'
import { encodeRequestProtobuf, withCounts } from '../support/otlp.ts'
import { writeBody } from '../support/remote-write.ts'
import { NOW_MS, makeServer, type TestServer } from './test-server.ts'

// Every limit on what is taken, over HTTP: what goes beyond is answered 4xx (by OTLP's own rules a 200 that tells it, when
// the request itself is sound), with the limit's option and value; it is counted, and it stands in /debug/ingest.

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const FORMATS = ['remote_write', 'remote_write_2', 'otlp'] as const
type Format = (typeof FORMATS)[number]
type Texts = Readonly<Record<string, string>>

interface Limits {
  readonly settings?: { readonly bodyBytesMax?: number; readonly decodedBytesMax?: number }
  readonly ingest?: Partial<IngestOptions>
  readonly otlp?: Partial<OtlpOptions>
}

async function serverWith(limits: Limits): Promise<TestServer> {
  const decodedBytesMax = limits.settings?.decodedBytesMax
  const ingest = { ...(decodedBytesMax === undefined ? {} : { decodedBytesMax }), ...limits.ingest }
  const server = await makeServer({ ...limits, ingest })
  closers.push(() => server.app.close())
  return server
}

/** One sample for each label set, as each format says it. */
const BODY: Readonly<Record<Format, (series: readonly Texts[]) => Uint8Array>> = {
  remote_write: (series) => writeBody(series.map((labels) => ({ labels, samples: [{ timeMs: NOW_MS, value: 1 }] }))),
  remote_write_2: (series) =>
    encodeSnappy(
      encodeWriteRequestV2(
        series.map((labels) => ({ labels: Labels.of(labels), samples: [{ timeMs: NOW_MS, value: 1 }] })),
      ),
    ),
  otlp: (series) =>
    otlpBody(
      series.map(({ __name__: name = '', ...labels }): Metric => {
        const attributes = Object.entries(labels).map(([key, value]) => ({ key, value }))
        const points = [{ attributes, startMs: 0, timeMs: NOW_MS, isStale: false, value: 1 }]
        return { name, unit: '', data: { kind: 'gauge', points } }
      }),
    ),
}

function otlpBody(metrics: readonly Metric[]): Uint8Array {
  const scope = { name: '', version: '', attributes: [], schemaUrl: '' }
  return encodeRequestProtobuf(withCounts([{ attributes: [], scopes: [{ scope, metrics }] }]))
}

const HEADERS: Readonly<Record<Format, Texts>> = {
  remote_write: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
  remote_write_2: {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy',
  },
  otlp: { 'content-type': 'application/x-protobuf' },
}

async function send({ app }: TestServer, format: Format, body: Uint8Array, headers: Texts = {}) {
  const url = format === 'otlp' ? '/v1/metrics' : '/api/v1/write'
  const answer = await app.inject({
    method: 'POST',
    url,
    headers: { ...HEADERS[format], ...headers },
    payload: Buffer.from(body),
  })
  return { status: answer.statusCode, text: answer.body }
}

const up = (more: Texts = {}): Texts => ({ __name__: 'up', cluster: 'a', ...more })
const LONG = 'x'.repeat(200)
const MANY = Array.from({ length: 40 }, (_, i) => up({ n: String(i), text: LONG }))

type Row = readonly [option: string, value: number, limits: Limits, reason: RefusalReason, series: readonly Texts[]]

/** The value is the limit's; `series` is one thing more than it allows. */
const REQUESTS: readonly Row[] = [
  ['web.body-bytes-max', 900, { settings: { bodyBytesMax: 900 } }, 'request_too_large', scattered(40)],
  ['ingest.decompressed-bytes-max', 2000, { settings: { decodedBytesMax: 2000 } }, 'request_too_large', MANY],
  ['ingest.request-samples-max', 2, { ingest: { samplesPerRequestMax: 2 } }, 'request_too_large', MANY.slice(0, 3)],
]

const SERIES: readonly Row[] = [
  ['ingest.labels-max', 3, { ingest: { labelsPerSeriesMax: 3 } }, 'too_many_labels', [up({ b: '1', c: '2' })]],
  [
    'ingest.label-name-bytes-max',
    8,
    { ingest: { labelNameBytesMax: 8 } },
    'label_name_too_long',
    [up({ abcdefghi: '1' })],
  ],
  [
    'ingest.label-value-bytes-max',
    9,
    { ingest: { labelValueBytesMax: 9 } },
    'label_value_too_long',
    [up({ b: '1234567890' })],
  ],
  ['ingest.cluster-series-max', 2, { ingest: { clusterSeriesMax: 2 } }, 'cluster_series_limit', MANY.slice(0, 3)],
  [
    'ingest.cluster-new-series-per-minute-max',
    2,
    { ingest: { clusterNewSeriesPerMinuteMax: 2 } },
    'new_series_limit',
    MANY.slice(0, 3),
  ],
  [
    'ingest.new-series-per-minute-max',
    2,
    { ingest: { newSeriesPerMinuteMax: 2 } },
    'new_series_limit',
    MANY.slice(0, 3),
  ],
]

/** Label values that no compressor makes smaller. */
function scattered(count: number): Texts[] {
  let state = 7
  const next = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state.toString(36)
  }
  return Array.from({ length: count }, () => up({ n: next() + next() + next() + next() }))
}

/** Counted by our own metrics, and told by `/debug/ingest` with the same words. */
async function expectNoted(
  server: TestServer,
  format: Format,
  reason: RefusalReason,
  words: string,
  count = 1,
): Promise<void> {
  const counted = await server.deps.metrics.ingestRefused.get()
  expect(counted.values).toContainEqual({ labels: { format, reason }, value: count })
  const report = (await server.app.inject('/debug/ingest')).json<DebugIngest>()
  const noted = report.refusals.find((one) => one.reason === reason)
  expect(noted).toMatchObject({ count, requests: 1, lastMs: NOW_MS })
  expect(noted?.examples[0]?.text).toContain(words)
}

describe.each(FORMATS)('%s', (format) => {
  test.each(REQUESTS)('a request beyond %s is not taken at all', async (option, value, limits, reason, series) => {
    const server = await serverWith(limits)
    const answer = await send(server, format, BODY[format](series))
    expect([400, 413]).toContain(answer.status)
    expect(answer.text).toContain(option)
    expect(answer.text).toContain(String(value))
    expect(server.appender.seriesCount).toBe(0)
    await expectNoted(server, format, reason, option)
    // One less is taken.
    expect((await send(server, format, BODY[format](series.slice(0, 1)))).status).toBe(format === 'otlp' ? 200 : 204)
    expect(server.appender.sampleCount).toBe(1)
  })

  test.each(SERIES)(
    'what is beyond %s is refused, and the rest kept',
    async (option, value, limits, reason, series) => {
      const server = await serverWith(limits)
      const answer = await send(server, format, BODY[format]([...series, series[0]!]))
      const words = `${option}, ${value}`
      expect(answer.status).toBe(format === 'otlp' ? 200 : 400)
      expect(answer.text).toContain(words)
      // The first of several stands twice in the request, and is one sample.
      expect(server.appender.sampleCount).toBe(series.length - 1)
      await expectNoted(server, format, reason, words, series.length > 1 ? 1 : 2)
      // Known series, and others where the limit is not on them, are taken as before.
      const good = series.length > 1 ? series[0]! : { __name__: 'm' }
      expect((await send(server, format, BODY[format]([good]))).status).toBe(format === 'otlp' ? 200 : 204)
    },
  )

  test('series in all are as many as store.series-max says', async () => {
    const server = await serverWith({ ingest: { seriesMax: 1 } })
    const { appender } = server
    const resolve = appender.resolve.bind(appender)
    appender.resolve = (labels) => (appender.seriesCount >= 1 ? undefined : resolve(labels))
    const answer = await send(server, format, BODY[format](MANY.slice(0, 2)))
    expect(answer.text).toContain('store.series-max, 1')
    await expectNoted(server, format, 'series_limit', 'store.series-max, 1')
  })
})

describe('of one format', () => {
  test('series of one remote write request', async () => {
    const server = await serverWith({ ingest: { seriesPerRequestMax: 2 } })
    const answer = await send(server, 'remote_write', BODY.remote_write(MANY.slice(0, 3)))
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.text).toContain('at most 2, the value of ingest.request-series-max')
    await expectNoted(server, 'remote_write', 'request_too_large', 'ingest.request-series-max')
  })

  test('attributes of one OTLP request', async () => {
    const server = await serverWith({ otlp: { attributesMax: 5 } })
    const answer = await send(server, 'otlp', BODY.otlp(MANY.slice(0, 2)))
    expect(answer).toMatchObject({ status: 400 })
    await expectNoted(server, 'otlp', 'request_too_large', 'at most 5, the value of otlp.request-attributes-max')
  })

  test('buckets of one OTLP histogram', async () => {
    const server = await serverWith({ otlp: { bucketsMax: 2 } })
    const common = { attributes: [], startMs: 0, timeMs: NOW_MS, isStale: false }
    const points = [{ ...common, count: 3, sum: 1, bounds: [1, 2], bucketCounts: [1, 1, 1] }]
    const body = otlpBody([{ name: 'h', unit: '', data: { kind: 'histogram', points, temporality: 'cumulative' } }])
    expect((await send(server, 'otlp', body)).text).toContain('otlp.buckets-max, 2')
    await expectNoted(server, 'otlp', 'bad_point', 'otlp.buckets-max, 2')
  })

  test('delta streams', async () => {
    const server = await serverWith({ otlp: { deltaStreamsMax: 1 } })
    const points = ['1', '2'].map((value) => ({
      attributes: [{ key: 'n', value }],
      startMs: NOW_MS - 1000,
      timeMs: NOW_MS,
      isStale: false,
      value: 1,
    }))
    const body = otlpBody([
      { name: 'd', unit: '', data: { kind: 'sum', points, temporality: 'delta', isMonotonic: true } },
    ])
    expect((await send(server, 'otlp', body)).text).toContain('otlp.delta-streams-max, 1')
    await expectNoted(server, 'otlp', 'delta_limit', 'otlp.delta-streams-max, 1')
  })

  test('a body that gzip makes larger than the limit', async () => {
    const server = await serverWith({ settings: { decodedBytesMax: 5000 } })
    const answer = await send(server, 'otlp', gzipSync(Buffer.alloc(100_000)), { 'content-encoding': 'gzip' })
    expect(answer).toMatchObject({ status: 413 })
    await expectNoted(server, 'otlp', 'request_too_large', 'ingest.decompressed-bytes-max, 5000')
  })
})

test('what a body announces is held against the limit before anything is allocated', async () => {
  const server = await serverWith({})
  // Four gigabytes, in five bytes.
  const answer = await send(server, 'remote_write', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f))
  expect(answer).toMatchObject({ status: 400 })
  expect(answer.text).toContain('ingest.decompressed-bytes-max')
})
