import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import type { Principal } from '../../../src/model/token.ts'
import { failingOtlp, NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' }

/** A request of gauge points at these times. */
function body(...timesMs: readonly number[]): string {
  const dataPoints = timesMs.map((timeMs) => ({ timeUnixNano: String(BigInt(timeMs) * 1_000_000n), asInt: 1 }))
  return JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints } }] }] }] })
}

let server: TestServer
beforeAll(async () => {
  server = await makeServer({ settings: { bodyBytesMax: 100_000, decodedBytesMax: 200_000 } })
})
afterAll(() => server.app.close())

async function send(payload: string | Buffer, headers: Record<string, string>, from = server, url = '/v1/metrics') {
  const answer = await from.app.inject({ method: 'POST', url, headers, payload })
  return { status: answer.statusCode, type: answer.headers['content-type'], text: answer.body, headers: answer.headers }
}

test.each(['/v1/metrics', '/api/v1/otlp/v1/metrics'])('%s takes good points without a word', async (url) => {
  expect(await send(body(NOW_MS), JSON_TYPE, server, url)).toMatchObject({
    status: 200,
    type: 'application/json',
    text: '{}',
  })
  const empty = await send('', PROTOBUF_TYPE, server, url)
  expect(empty).toMatchObject({ status: 200, type: 'application/x-protobuf', text: '' })
  expect(server.appender.sampleCount).toBe(1)
})

test('what was refused is a partial success, and is counted', async () => {
  const own = await makeServer()
  const answer = await send(
    body(NOW_MS, NOW_MS + 3_600_000),
    { 'content-type': 'Application/JSON; charset=utf-8' },
    own,
  )
  expect([answer.status, answer.type]).toEqual([200, 'application/json'])
  expect(JSON.parse(answer.text)).toEqual({
    partialSuccess: {
      rejectedDataPoints: '1',
      errorMessage: expect.stringMatching(/^refused 1 of 2 data points: too_far_ahead \(1\)/) as string,
    },
  })
  const metrics = (await own.app.inject('/metrics')).body
  expect(metrics).toContain('daytwo_ingest_requests_total{format="otlp",outcome="refused"} 1')
  expect(metrics).toContain('daytwo_ingest_samples_in_total{format="otlp"} 2')
  expect(metrics).toContain('daytwo_ingest_samples_out_total{format="otlp"} 1')
  expect(metrics).toContain('daytwo_ingest_samples_refused_total{format="otlp",reason="too_far_ahead"} 1')
  await own.app.close()
})

describe('encodings', () => {
  test.each([['gzip'], ['GZIP']])('%s is opened', async (encoding) => {
    const payload = gzipSync(body(NOW_MS))
    expect((await send(payload, { ...JSON_TYPE, 'content-encoding': encoding })).status).toBe(200)
  })

  test.each<[string, Buffer, Record<string, string>, number, RegExp]>([
    ['another encoding', Buffer.from('x'), { 'content-encoding': 'zstd' }, 400, /"zstd", want gzip or none/],
    ['broken gzip', Buffer.from('x'), { 'content-encoding': 'gzip' }, 400, /not gzip/],
    ['cut gzip', gzipSync(body(NOW_MS)).subarray(0, 20), { 'content-encoding': 'gzip' }, 400, /not gzip/],
    [
      'a bomb',
      gzipSync(Buffer.alloc(10_000_000)),
      { 'content-encoding': 'gzip' },
      413,
      /decompressed, than ingest.decompressed-bytes-max, 200000/,
    ],
    ['a body above the limit', Buffer.alloc(150_000), {}, 413, /./],
    ['no JSON', Buffer.from('{'), {}, 400, /otlp json/],
  ])('%s is refused in the encoding of the request', async (_what, payload, headers, status, text) => {
    const answer = await send(payload, { ...JSON_TYPE, ...headers })
    expect([answer.status, answer.type]).toEqual([status, 'application/json'])
    const told = JSON.parse(answer.text) as { code: number; message: string }
    expect(told.code).toBe(3)
    expect(told.message).toMatch(text)
  })

  test('protobuf is answered in protobuf', async () => {
    const answer = await send(Buffer.from([0x0f, 1]), PROTOBUF_TYPE)
    expect([answer.status, answer.type, answer.text.charCodeAt(0), answer.text.charCodeAt(1)]).toEqual([
      400,
      'application/x-protobuf',
      8,
      3,
    ])
  })

  test.each([[{}], [{ 'content-type': 'text/plain' }], [{ 'content-type': 'application/grpc' }]])(
    'type %j is 415 as text',
    async (headers) => {
      const answer = await server.app.inject({
        method: 'POST',
        url: '/v1/metrics',
        headers,
        payload: Buffer.alloc(150_000),
      })
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([415, 'text/plain; charset=utf-8'])
    },
  )
})

test.each([
  [new FleetError('storage_full', 'the disk is full'), 503, 14, '5'],
  [new Error('a bug'), 500, 13, undefined],
])('our own fault: %s', async (failure, status, code, retryAfter) => {
  const broken = await makeServer({ writeOtlp: failingOtlp(failure) })
  const answer = await send(body(NOW_MS), JSON_TYPE, broken)
  expect([answer.status, answer.headers['retry-after']]).toEqual([status, retryAfter])
  expect(JSON.parse(answer.text)).toMatchObject({ code })
  expect((await broken.app.inject('/metrics')).body).toContain('{format="otlp",outcome="failed"} 1')
  await broken.app.close()
})

test('until the server is ready it asks to come again', async () => {
  const starting = await makeServer({ readiness: () => 'replaying the log' })
  const answer = await send(body(NOW_MS), JSON_TYPE, starting)
  expect([answer.status, answer.headers['retry-after'], JSON.parse(answer.text)]).toEqual([
    503,
    '5',
    { code: 14, message: 'replaying the log' },
  ])
  await starting.app.close()
})

test('a token is needed, its role is looked at, and its cluster is stamped', async () => {
  const principals: Record<string, Principal> = {
    sender: { name: 's', role: 'ingest', cluster: 'east' },
    person: { name: 'p', role: 'viewer' },
  }
  const guarded = await makeServer({
    requiresToken: true,
    authenticate: (token) => Promise.resolve(principals[token]),
  })
  const as = async (token: string | undefined) =>
    send(body(NOW_MS), { ...JSON_TYPE, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }, guarded)
  const nobody = await as(undefined)
  expect([nobody.status, JSON.parse(nobody.text)]).toMatchObject([401, { code: 16 }])
  const person = await as('person')
  expect([person.status, JSON.parse(person.text)]).toMatchObject([403, { code: 7 }])
  expect((await as('sender')).status).toBe(200)
  expect(guarded.appender.dump().map(({ labels }) => labels)).toEqual([{ __name__: 'm', cluster: 'east' }])
  await guarded.app.close()
})

const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')
describe.skipIf(!existsSync(GOLDEN))('stored bodies (skipped when they are not beside the project)', () => {
  test.each([
    ['otlp/metrics-all.pb.gz', 200],
    ['otlp/metrics-all.json.gz', 200],
    ['captured/otel-js-0.223-metrics.pb.gz', 200],
    ['captured/otel-js-0.223-metrics.json', 200],
    ['otlp/bad-gzip.gz', 400],
    ['otlp/bad-json.json', 400],
    ['otlp/bad-truncated.pb', 400],
    ['otlp/bomb-64MiB.pb.gz', 413],
  ])('%s is answered %i', async (path, status) => {
    const headers = {
      ...(path.includes('.json') ? JSON_TYPE : PROTOBUF_TYPE),
      ...(path.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {}),
    }
    expect((await send(readFileSync(resolve(GOLDEN, path)), headers)).status).toBe(status)
  })
})
