import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import { NOTHING_TAKEN } from '../../../src/ingest/write-outcome.ts'
import { Labels } from '../../../src/model/labels.ts'
import { encodeWriteRequest } from '../../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../../src/wire/snappy.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

/** A page's header, here from our own origin: it is let in, but never by the short way. */
const LONG_WAY = { 'sec-fetch-site': 'same-origin' }
const HEADERS = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }

const open: TestServer[] = []
afterEach(async () => {
  for (const { app } of open.splice(0)) await app.close()
})

async function listening(overrides: Parameters<typeof makeServer>[0] = {}): Promise<TestServer & { port: number }> {
  const server = await makeServer(overrides)
  open.push(server)
  const url = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }))
  return { ...server, port: Number(url.port) }
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
  readonly headers: IncomingHttpHeaders
  /** Only Fastify adds what browsers are told. */
  readonly isFastPath: boolean
}

async function send(
  port: number,
  payload: Buffer,
  headers: Record<string, string>,
  path = '/api/v1/write',
): Promise<Answer> {
  const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers: { ...HEADERS, ...headers } })
  request.end(payload)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const isFastPath = response.headers['content-security-policy'] === undefined
  return { status: response.statusCode, text: await text(response), headers: response.headers, isFastPath }
}

function body(...samples: readonly (readonly [timeMs: number, value: number])[]): Buffer {
  const labels = Labels.of({ __name__: 'up', job: 'x' })
  const series = samples.map(([timeMs, value]) => ({ labels, samples: [{ timeMs, value }] }))
  return Buffer.from(encodeSnappy(encodeWriteRequest(series)))
}

const told = ({ status, text: said, headers }: Answer) => ({
  status,
  said,
  type: status === 204 ? undefined : headers['content-type'],
  retryAfter: headers['retry-after'],
  refused: headers['x-daytwo-refused'],
})

test('a stock write goes the short way and is kept', async () => {
  const server = await listening()
  expect(await send(server.port, body([NOW_MS, 1]), {})).toMatchObject({ status: 204, text: '', isFastPath: true })
  expect(server.appender.seriesCount).toBe(1)
})

test('each of many at once is counted', async () => {
  const server = await listening()
  const sent = Array.from({ length: 30 }, (_, at) =>
    send(server.port, at % 3 === 0 ? Buffer.from('hello') : body([NOW_MS + at, 1], [NOW_MS + at, 1]), {}),
  )
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses).toEqual(statuses.map((_, at) => (at % 3 === 0 ? 400 : 204)))
  const page = (await server.app.inject('/metrics')).body.split('\n')
  const valueOf = (series: string): string | undefined => page.find((line) => line.startsWith(series))?.split(' ')[1]
  expect(
    [
      'daytwo_ingest_requests_total{format="remote_write",outcome="taken"}',
      'daytwo_ingest_requests_total{format="remote_write",outcome="refused"}',
      'daytwo_ingest_samples_in_total{format="remote_write"}',
      'daytwo_ingest_samples_out_total{format="remote_write"}',
      'daytwo_http_requests_total{route="/api/v1/write",method="POST",status="204"}',
      'daytwo_http_requests_total{route="/api/v1/write",method="POST",status="400"}',
      'daytwo_http_request_duration_seconds_count{route="/api/v1/write"}',
    ].map(valueOf),
  ).toEqual(['20', '10', '40', '40', '20', '10', '30'])
})

describe('both ways give the same answer', () => {
  test.each<[string, Buffer]>([
    ['good samples', body([NOW_MS, 1])],
    ['a second value at one time', body([NOW_MS, 1], [NOW_MS, 2])],
    ['a time far ahead', body([NOW_MS + 86_400_000, 1])],
    ['not snappy', Buffer.from('hello')],
    ['snappy of something else', Buffer.from(encodeSnappy(Buffer.from([0xff, 0xff])))],
    ['an empty body', Buffer.alloc(0)],
    ['an empty request', Buffer.from(encodeSnappy(new Uint8Array(0)))],
  ])('%s', async (_what, payload) => {
    const [short, long] = [await listening(), await listening()]
    const ours = await send(short.port, payload, { 'content-length': String(payload.length) })
    const theirs = await send(long.port, payload, { 'content-length': String(payload.length), ...LONG_WAY })
    expect([ours.isFastPath, theirs.isFastPath]).toEqual([true, false])
    expect(told(ours)).toEqual(told(theirs))
    const counted = async (server: TestServer) =>
      (await server.app.inject('/metrics')).body
        .split('\n')
        .filter((line) => line.startsWith('daytwo_ingest_') || line.startsWith('daytwo_http_requests_total'))
    expect(await counted(short)).toEqual(await counted(long))
  })

  test.each([
    ['overloaded', new FleetError('overloaded', 'too much at once', { hint: 'send less' })],
    ['a full disk', new FleetError('storage_full', 'no room')],
    ['a bug', new Error('secret')],
  ])('%s', async (_what, thrown) => {
    const { port } = await listening({ write: () => Promise.reject(thrown) })
    const ours = await send(port, body([NOW_MS, 1]), {})
    const theirs = await send(port, body([NOW_MS, 1]), LONG_WAY)
    expect([ours.isFastPath, theirs.isFastPath]).toEqual([true, false])
    expect(told(ours)).toEqual(told(theirs))
    expect(ours.text).not.toContain('secret')
  })
})

test('an outcome that no response can carry is a failure, and the server goes on', async () => {
  const message = 'half of a pair: \ud800'
  const { port } = await listening({ write: () => Promise.resolve({ ...NOTHING_TAKEN, status: 204, message }) })
  const ours = await send(port, body([NOW_MS, 1]), {})
  const theirs = await send(port, body([NOW_MS, 1]), LONG_WAY)
  expect([ours.isFastPath, theirs.isFastPath, ours.status]).toEqual([true, false, 500])
  expect(told(ours)).toEqual(told(theirs))
})

describe('what is not plain goes the long way', () => {
  test.each<[string, Record<string, string>, number]>([
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['a name that is not ours', { host: 'evil.example' }, 403],
    ['another encoding', { 'content-encoding': 'gzip' }, 415],
    ['another type', { 'content-type': 'application/json' }, 415],
    ['no length', { 'transfer-encoding': 'chunked' }, 204],
  ])('%s', async (_what, headers, status) => {
    const server = await listening()
    expect(await send(server.port, body([NOW_MS, 1]), headers)).toMatchObject({ status, isFastPath: false })
    expect(server.appender.seriesCount).toBe(status === 204 ? 1 : 0)
  })

  test('a body above the limit', async () => {
    const { port } = await listening({ settings: { bodyBytesMax: 1000 } })
    expect(await send(port, Buffer.alloc(1001), {})).toMatchObject({ status: 413, isFastPath: false })
  })

  test('a server that is not ready', async () => {
    const { port } = await listening({ readiness: () => 'rules are being restored' })
    expect(await send(port, body([NOW_MS, 1]), {})).toMatchObject({ status: 503, isFastPath: false })
  })
})

describe('with tokens', () => {
  const authenticate: TestServer['deps']['authenticate'] = (token) =>
    Promise.resolve(
      token === 'of-prague'
        ? { role: 'ingest', name: 'p', cluster: 'prague' }
        : token === 'reader'
          ? { role: 'viewer', name: 'v' }
          : undefined,
    )

  test.each([
    ['none', {}, 401],
    ['an unknown one', { authorization: 'Bearer guess' }, 401],
    ['one that may only read', { authorization: 'Bearer reader' }, 403],
    ['one that may write', { authorization: 'Bearer of-prague' }, 204],
  ])('%s', async (_what, headers, status) => {
    const server = await listening({ requiresToken: true, authenticate })
    const answer = await send(server.port, body([NOW_MS, 1]), headers)
    expect(answer).toMatchObject({ status, isFastPath: status === 204 })
    expect(server.appender.seriesCount).toBe(status === 204 ? 1 : 0)
  })

  test('a bound token stamps its cluster, also where none is needed', async () => {
    const clusters: (string | undefined)[] = []
    const { port } = await listening({
      authenticate,
      write: (_body, cluster) => {
        clusters.push(cluster)
        return Promise.reject(new FleetError('overloaded', 'noted'))
      },
    })
    await send(port, body([NOW_MS, 1]), { authorization: 'Bearer of-prague' })
    await send(port, body([NOW_MS, 1]), {})
    expect(clusters).toEqual(['prague', undefined])
  })
})

test('a sender that goes away in the middle leaves nothing, and the next one is served', async () => {
  const server = await listening()
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    'POST /api/v1/write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\n' +
      'Content-Encoding: snappy\r\nContent-Length: 100\r\n\r\nhalf',
  )
  socket.end()
  await once(socket.resume(), 'close')
  expect(await send(server.port, body([NOW_MS, 1]), {})).toMatchObject({ status: 204 })
  expect(server.appender.seriesCount).toBe(1)
})
