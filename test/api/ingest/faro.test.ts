import { gzipSync } from 'node:zlib'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../../../src/base/log.ts'
import { makeServer, type TestServer } from '../test-server.ts'

const PAYLOAD = {
  meta: { session: { id: 's' }, page: { url: 'https://daytwo.example/alerts?token=secret' } },
  exceptions: [{ type: 'TypeError', value: 'x is undefined', timestamp: '2026-08-20T09:59:59.000Z' }],
  measurements: [{ type: 'web-vitals', values: { lcp: 120 } }],
}

let lines: string[] = []
let server: TestServer
const open: TestServer[] = []
beforeEach(async () => {
  lines = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  server = await makeServer({ log, faro: { requestsPerSecond: 10, burst: 3 } })
  open.push(server)
})
afterAll(async () => {
  for (const { app } of open) await app.close()
})

const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  server.app.inject({
    method: 'POST',
    url: '/collect',
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  })

test('a batch is accepted, counted, and its errors are logged without secrets', async () => {
  const answer = await post(JSON.stringify(PAYLOAD))
  expect([answer.statusCode, answer.body]).toEqual([202, 'ok'])
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    msg: 'a page reports an error',
    browser: { kind: 'exception', type: 'TypeError', message: 'x is undefined', session: 's' },
  })
  expect(lines[0]).not.toContain('secret')
  const metrics = (await server.app.inject('/metrics')).body
  expect(metrics).toContain('daytwo_faro_items_total{kind="exception",outcome="taken"} 1')
  expect(metrics).toContain('daytwo_faro_items_total{kind="measurement",outcome="taken"} 1')
})

test('what our own pages tell becomes series and log records, at most so many a minute', async () => {
  const measurements = [{ type: 'web-vitals', values: { lcp: 1200 }, context: { rating: 'good' } }]
  const meta = { ...PAYLOAD.meta, app: { name: 'daytwo-web', version: '1.2' } }
  expect((await post(JSON.stringify({ ...PAYLOAD, meta, measurements }))).statusCode).toBe(202)
  // Of another program's pages nothing is kept.
  await post(JSON.stringify(PAYLOAD))
  const text = async (): Promise<string> => (await server.app.inject('/metrics')).body
  expect(await text()).toContain('daytwo_web_errors_total{page="alerts"} 1')
  expect(await text()).toContain('daytwo_web_vitals_total{vital="lcp",rating="good",page="alerts"} 1')
  expect(await text()).toContain('daytwo_web_vitals_sum_total{vital="lcp",page="alerts"} 1.2')
  expect(server.logs.records.map(({ service, body }) => [service, body])).toEqual([
    ['daytwo-web', 'TypeError: x is undefined'],
    ['daytwo-web', 'web-vitals lcp=1200'],
  ])
  server.clock.advance(30_000)
  const logs = Array.from({ length: 400 }, (_, i) => ({ level: 'info', message: `line ${i}` }))
  await post(JSON.stringify({ meta, logs }))
  await post(JSON.stringify({ meta, logs }))
  expect(server.logs.records).toHaveLength(600)
  expect(await text()).toContain('daytwo_faro_items_total{kind="item",outcome="not_kept"} 202')
  server.clock.advance(60_000)
  await post(JSON.stringify({ meta, logs }))
  expect(server.logs.records).toHaveLength(1000)
})

test('errors that pages report are logged a few times a minute, each in short, and all are counted', async () => {
  const exceptions = Array.from({ length: 100 }, (_, i) => ({ type: 'E', value: `${i} ${'x'.repeat(20_000)}` }))
  for (let i = 0; i < 3; i++)
    expect((await post(JSON.stringify({ meta: PAYLOAD.meta, exceptions }))).statusCode).toBe(202)
  expect(lines).toHaveLength(10)
  expect(lines.join('').length).toBeLessThan(50_000)
  const metrics = (await server.app.inject('/metrics')).body
  expect(metrics).toContain('daytwo_faro_items_total{kind="exception",outcome="taken"} 300')
  expect(metrics).toContain('daytwo_request_log_lines_suppressed_total{line="a page reports an error"} 290')
})

test('a repeated batch is accepted again and counted once', async () => {
  const headers = { 'idempotency-key': 'TX3SUiGgVvMpo4q40FB2' }
  const statuses = [
    (await post(JSON.stringify(PAYLOAD), headers)).statusCode,
    (await post(JSON.stringify(PAYLOAD), headers)).statusCode,
  ]
  expect([statuses, lines.length]).toEqual([[202, 202], 1])
})

test('a batch that was refused is not remembered: its repetition is looked at', async () => {
  const headers = { 'idempotency-key': 'k' }
  expect((await post('{', headers)).statusCode).toBe(400)
  expect((await post(JSON.stringify(PAYLOAD), headers)).statusCode).toBe(202)
  expect(lines).toHaveLength(1)
})

describe('what is refused', () => {
  test.each([
    ['no JSON', '{', {}, 400, 'not_read'],
    ['no object', '[]', {}, 400, 'not_read'],
    ['nothing', '', {}, 400, 'not_read'],
    ['gzip that is none', 'x', { 'content-encoding': 'gzip' }, 400, 'not_read'],
    ['another encoding', 'x', { 'content-encoding': 'br' }, 415, 'not_read'],
    ['too many bytes', Buffer.alloc(5 * 2 ** 20 + 1), {}, 413, 'too_large'],
    [
      'too many bytes once unpacked',
      gzipSync(Buffer.alloc(6 * 2 ** 20)),
      { 'content-encoding': 'gzip' },
      413,
      'too_large',
    ],
  ])('%s', async (_what, payload, headers, status, outcome) => {
    const answer = await post(payload, { ...headers, origin: 'https://page.example' })
    expect(answer.statusCode).toBe(status)
    // A page must be able to read its refusal, else it sees a network error and sends again.
    expect(answer.headers['access-control-allow-origin']).toBe('https://page.example')
    const metrics = (await server.app.inject('/metrics')).body
    expect(metrics).toContain(`daytwo_faro_items_total{kind="request",outcome="${outcome}"} 1`)
  })
})

test('gzip is unpacked', async () => {
  const answer = await post(gzipSync(JSON.stringify(PAYLOAD)), { 'content-encoding': 'gzip' })
  expect([answer.statusCode, lines.length]).toEqual([202, 1])
})

test('a client has a rate, says when to come back, and is let in then', async () => {
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await post('{}')).statusCode)
  expect(statuses).toEqual([202, 202, 202, 429])
  const refused = await post('{}', { origin: 'https://page.example' })
  expect([refused.headers['retry-after'], refused.headers['access-control-expose-headers']]).toEqual([
    '1',
    'X-Faro-Session-Status, Retry-After',
  ])
  server.clock.advance(1000)
  expect((await post('{}')).statusCode).toBe(202)
})

test('the preflight allows what SDKs send', async () => {
  const answer = await server.app.inject({
    method: 'OPTIONS',
    url: '/collect',
    headers: { origin: 'https://page.example', 'access-control-request-headers': 'idempotency-key' },
  })
  expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([204, 'https://page.example'])
  const allowed = String(answer.headers['access-control-allow-headers']).split(', ')
  expect(allowed).toEqual(
    expect.arrayContaining(['content-type', 'idempotency-key', 'x-faro-session-id', 'traceparent']),
  )
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
})

test('when it is off there is no such route, and the page is not told of one', async () => {
  const { app } = await makeServer()
  expect((await app.inject({ method: 'POST', url: '/collect', payload: '{}' })).statusCode).toBe(404)
  expect((await app.inject('/api/ui/v1/settings')).json()).not.toHaveProperty('faroUrl')
  expect((await server.app.inject('/api/ui/v1/settings')).json()).toMatchObject({ faroUrl: '/collect' })
  await app.close()
})

const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')
describe.skipIf(!existsSync(GOLDEN))('bodies of real SDKs (skipped: no ../shared)', () => {
  test.each([
    ['faro/payload.json', 202],
    ['faro/minimal.json', 202],
    ['faro/bad.json', 400],
    ['captured/faro-2.12.1-jsdom.json', 202],
  ])('%s', async (file, status) => {
    expect((await post(readFileSync(resolve(GOLDEN, file)))).statusCode).toBe(status)
  })
})
