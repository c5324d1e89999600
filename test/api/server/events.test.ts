import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createEventFeed } from '../../../src/api/server/event-feed.ts'
import { createOwnMetrics } from '../../../src/base/metrics.ts'
import type { TokenRecord } from '../../../src/model/token.ts'
import { createTokenIndex, hashToken } from '../../../src/runtime/token-index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { makeServer, NOW_MS } from '../test-server.ts'

// Over a connection: an answer without an end is none for `inject`.

async function listening(listenersMax = 10, overrides: Parameters<typeof makeServer>[0] = {}) {
  const metrics = createOwnMetrics('0')
  const feed = createEventFeed({ clock: new FakeClock(NOW_MS), metrics, listenersMax })
  const { app, clock } = await makeServer({ ...overrides, metrics, events: feed })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const ask = (headers: Record<string, string> = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request({ port, path: '/api/fleet/v1/events', headers }, resolve).on('error', reject).end()
    })
  return { app, feed, metrics, clock, ask }
}

/** Reads on until the text has `part`. */
async function readUntil(stream: IncomingMessage, part: string): Promise<string> {
  let text = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString()
    if (text.includes(part)) return text
  }
  throw new Error(`the stream ended before ${JSON.stringify(part)}: ${text}`)
}

test('it is a stream that nobody stores, packs or holds back, and it ends with the server', async () => {
  const { app, feed, metrics, ask } = await listening()
  const stream = await ask({ 'accept-encoding': 'gzip, deflate', accept: 'text/event-stream' })
  const { headers } = stream
  expect([stream.statusCode, headers['content-type'], headers['content-encoding'], headers['cache-control']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    undefined,
    'no-store',
  ])
  expect(headers['x-content-type-options']).toBe('nosniff')
  feed.publish(['alerts'])
  const told = await readUntil(stream, 'data: ')
  expect(told).toMatch(/^retry: 3000\n[^]*event: change\ndata: {"topic":"alerts","version":1}\n\n$/)

  const again = await ask({ 'last-event-id': 'of-another-run-7' })
  expect(await readUntil(again, '"alerts","version":1}')).toContain('"dashboards","version":0}')
  const ended = [stream, again].map((one) => new Promise((resolve) => one.once('end', resolve).resume()))
  await app.close()
  await Promise.all(ended)
  const shown = await metrics.registry.metrics()
  expect(shown).toContain('daytwo_event_listeners 0')
  // It answered for as long as somebody listened: no time to answer.
  expect(shown).not.toContain('daytwo_http_request_duration_seconds_count{route="/api/fleet/v1/events"}')
})

test('a page that is closed makes room, and one too many is told when to come back', async () => {
  const { app, metrics, ask } = await listening(1)
  const first = await ask()
  await readUntil(first, 'listening')
  const refused = await ask()
  expect([refused.statusCode, refused.headers['retry-after'], await readUntil(refused, '}')]).toEqual([
    503,
    '5',
    expect.stringContaining('"code":"overloaded"'),
  ])
  first.destroy()
  await expect
    .poll(async () => (await metrics.registry.metrics()).includes('daytwo_event_listeners 0'), { timeout: 10_000 })
    .toBe(true)
  expect((await ask()).statusCode).toBe(200)
  await app.close()
})

test('nobody listens without a token where one is needed', async () => {
  const { app, ask } = await listening(10, { requiresToken: true })
  expect((await ask()).statusCode).toBe(401)
  await app.close()
})

test('whose token is revoked is told nothing more, and not let in again', async () => {
  let records: TokenRecord[] = ['kept', 'lost'].map((name, id) => ({
    id,
    name,
    hash: hashToken(`token of ${name}`),
    role: 'viewer',
    createdAtMs: NOW_MS,
  }))
  const book = new FakeClock(NOW_MS)
  const touch = () => Promise.resolve()
  const tokens = await createTokenIndex({ list: () => Promise.resolve(records), touch }, book)
  const { app, feed, clock, ask } = await listening(10, {
    requiresToken: true,
    authenticate: (token) => tokens.authenticate(token),
  })
  const bearer = (name: string): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`me:token of ${name}`).toString('base64')}`,
  })
  const [kept, lost] = await Promise.all([ask(bearer('kept')), ask(bearer('lost'))])
  await Promise.all([readUntil(kept, 'listening'), readUntil(lost, 'listening')])
  const ended = new Promise((resolve) =>
    lost
      .once('close', resolve)
      .on('error', () => undefined)
      .resume(),
  )

  records = records.filter(({ name }) => name === 'kept')
  book.advance(5000)
  clock.advance(5000)
  await ended
  expect((await ask(bearer('lost'))).statusCode).toBe(401)
  feed.publish(['alerts'])
  expect(await readUntil(kept, 'data: ')).toContain('"topic":"alerts"')
  await app.close()
})
