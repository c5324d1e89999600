import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainEntry } from '../../../src/api/server/access.ts'
import { plainQueries } from '../../../src/api/prometheus/plain-queries.ts'
import { answersOver } from '../../../src/api/prometheus/query-answers.ts'
import { createShortWayServer } from '../../../src/api/server/short-way.ts'
import { FleetError } from '../../../src/base/errors.ts'
import { Labels } from '../../../src/model/labels.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { NOW_MS, makeServer } from '../test-server.ts'
import type { TestServer } from '../test-server.ts'

const NOW = NOW_MS / 1000
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** Unpacked. */
  readonly text: string
}

interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

async function send(port: number, { path, method = 'GET', headers = {}, body }: Asked): Promise<Answer> {
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const bytes = await buffer(response)
  const isGzip = response.headers['content-encoding'] === 'gzip'
  return {
    status: response.statusCode,
    headers: response.headers,
    text: (isGzip ? gunzipSync(bytes) : bytes).toString(),
  }
}

/** 400 series with a name that is no ASCII, so that an answer may be long. */
function manySeries(): MemoryQueryable {
  const queryable = new MemoryQueryable()
  for (let i = 0; i < 400; i++) {
    const labels = Labels.of({ __name__: i < 2 ? 'few' : 'many', cluster: `čluster-${i}` })
    for (let ago = 300; ago >= 0; ago -= 30) queryable.append(labels, NOW_MS - ago * 1000, i + ago)
  }
  return queryable
}

const engine = createLocalEngine({ queryable: manySeries(), options: DEFAULT_ENGINE_OPTIONS, nowMs: () => NOW_MS })
const range = (query: string, step = 60): string =>
  `/api/v1/query_range?${new URLSearchParams({ query, start: String(NOW - 300), end: String(NOW), step: String(step) }).toString()}`

describe('both ways give the same answer', () => {
  let server: TestServer
  let port = 0
  beforeAll(async () => {
    server = await makeServer({ query: engine, settings: { corsOrigins: ['https://perses.example'] } })
    port = Number(new URL(await server.app.listen({ host: '127.0.0.1', port: 0 })).port)
  })
  afterAll(() => server.app.close())

  test.each<[string, Asked]>([
    ['an instant vector', { path: '/api/v1/query?query=few' }],
    ['a scalar at a time', { path: `/api/v1/query?query=1%2B1&time=${NOW - 5}` }],
    ['a text', { path: '/api/v1/query?query=%22a%22' }],
    ['a range', { path: range('few') }],
    ['a range that is packed', { path: range('many'), headers: { 'accept-encoding': 'gzip' } }],
    ['a short one that is not', { path: '/api/v1/query?query=1', headers: { 'accept-encoding': 'gzip, deflate' } }],
    ['one that leaves in pieces', { path: range('many', 1) }],
    ['the same, packed', { path: range('many', 1), headers: { 'accept-encoding': 'gzip, deflate, br' } }],
    ['a form', { path: '/api/v1/query', method: 'POST', headers: FORM, body: 'query=few%7B%7D' }],
    ['a form over the address', { path: '/api/v1/query?query=x', method: 'POST', headers: FORM, body: 'query=few' }],
    ['a form of a range', { path: '/api/v1/query_range', method: 'POST', headers: FORM, body: range('few').slice(20) }],
    ['statistics', { path: '/api/v1/query?query=few&stats=all' }],
    ['statistics of a range', { path: `${range('few')}&stats=true` }],
    ['unknown statistics', { path: '/api/v1/query?query=few&stats=some' }],
    ['a limit', { path: '/api/v1/query?query=many&limit=3' }],
    ['an info', { path: '/api/v1/query?query=rate(few[1m])' }],
    ['a bad limit', { path: '/api/v1/query?query=few&limit=x' }],
    ['a bad time', { path: '/api/v1/query?query=few&time=x' }],
    ['no step', { path: '/api/v1/query_range?query=few&start=0&end=1' }],
    ['no query', { path: '/api/v1/query' }],
    ['what does not parse', { path: '/api/v1/query?query=sum(' }],
    ['a range vector over a range', { path: range('few[1m]') }],
  ])('%s', async (_what, asked) => {
    const ours = await send(port, asked)
    const theirs = await send(port, { ...asked, headers: { ...asked.headers, 'sec-fetch-site': 'same-origin' } })
    expect({ ...ours, headers: comparable(ours) }).toEqual({ ...theirs, headers: comparable(theirs) })
  })
})

/** All but the time of day, and the length of what was packed by another strength. */
function comparable({ headers }: Answer): IncomingHttpHeaders {
  const { date, 'content-length': length, 'transfer-encoding': coding, ...same } = headers
  expect(date).toBeDefined()
  return headers['content-encoding'] === undefined ? { ...same, length, coding } : same
}

/** A server whose long way only says that it was taken. */
async function withWay(
  work: (port: number) => Promise<void>,
  parts: Partial<Parameters<typeof plainQueries>[0]> & { readonly requiresToken?: boolean } = {},
): Promise<void> {
  const { deps } = await silent()
  const enter = plainEntry(
    {
      ...deps.settings,
      requiresToken: parts.requiresToken ?? false,
      authenticate: (token) =>
        Promise.resolve(
          token === 'reader'
            ? { role: 'viewer', name: 'r' }
            : token === 'sender'
              ? { role: 'ingest', name: 's' }
              : undefined,
        ),
    },
    'viewer',
  )
  const longWay: RequestListener = (request, response) => {
    request.resume().on('end', () => response.writeHead(299).end('the long way'))
  }
  const way = plainQueries({
    ...deps,
    query: engine,
    answers: answersOver(engine),
    enter,
    isOpenToOrigins: false,
    ...parts,
  })
  const server: Server = createShortWayServer(longWay, [way], { keepAliveMs: 1000, requestArrivesMs: 10_000 })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    await work((server.address() as AddressInfo).port)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

let made: Promise<TestServer> | undefined
const silent = (): Promise<TestServer> => (made ??= makeServer())
afterAll(async () => (await made)?.app.close())

test.each<[string, Asked, number]>([
  ['a plain look-up', { path: '/api/v1/query?query=few' }, 200],
  ['a plain range', { path: range('few') }, 200],
  ['a stock client that packs', { path: '/api/v1/query?query=few', headers: { 'accept-encoding': 'gzip' } }, 200],
  ['a form', { path: '/api/v1/query', method: 'POST', headers: FORM, body: 'query=few' }, 200],
  [
    'a form of another type',
    { path: '/api/v1/query', method: 'POST', headers: { 'content-type': 'x/y' }, body: 'a' },
    299,
  ],
  [
    'a form without a length',
    { path: '/api/v1/query', method: 'POST', headers: { ...FORM, 'transfer-encoding': 'chunked' }, body: 'query=few' },
    299,
  ],
  [
    'a form that is packed',
    { path: '/api/v1/query', method: 'POST', headers: { ...FORM, 'content-encoding': 'gzip' }, body: 'query=few' },
    299,
  ],
  ['a large form', { path: '/api/v1/query', method: 'POST', headers: FORM, body: 'x'.repeat(65_537) }, 299],
  [
    'a body where none belongs',
    { path: '/api/v1/query?query=few', headers: { 'content-length': '1' }, body: 'x' },
    299,
  ],
  ['another method', { path: '/api/v1/query?query=few', method: 'OPTIONS' }, 299],
  ['another route', { path: '/api/v1/query_exemplars?query=few' }, 299],
  ['another encoding', { path: '/api/v1/query?query=few', headers: { 'accept-encoding': 'deflate' } }, 299],
  ['an encoding with a weight', { path: '/api/v1/query?query=few', headers: { 'accept-encoding': 'gzip;q=0' } }, 299],
  ['a page', { path: '/api/v1/query?query=few', headers: { 'sec-fetch-site': 'same-origin' } }, 299],
  ['a page of another origin', { path: '/api/v1/query?query=few', headers: { origin: 'https://evil.example' } }, 299],
  ['a name that is not ours', { path: '/api/v1/query?query=few', headers: { host: 'evil.example' } }, 299],
])('%s', async (_what, asked, status) => {
  await withWay(async (port) => {
    expect(await send(port, asked)).toMatchObject({ status })
  })
})

test('a server that is not ready says so the long way', async () => {
  await withWay(
    async (port) => {
      expect(await send(port, { path: '/api/v1/query?query=few' })).toMatchObject({ status: 299 })
    },
    { readiness: () => 'rules are being restored' },
  )
})

test.each([
  ['none', {}, 299],
  ['an unknown one', { authorization: 'Bearer guess' }, 299],
  ['one that may only send', { authorization: 'Bearer sender' }, 299],
  ['one that may read', { authorization: 'Bearer reader' }, 200],
  ['one as a password', { authorization: `Basic ${Buffer.from('me:reader').toString('base64')}` }, 200],
])('with tokens: %s', async (_what, headers, status) => {
  await withWay(
    async (port) => {
      expect(await send(port, { path: '/api/v1/query?query=few', headers })).toMatchObject({ status })
    },
    { requiresToken: true },
  )
})

test.each([
  [new FleetError('query_timeout', 'too slow'), 503, 'too slow'],
  [new FleetError('query_limit', 'too much'), 422, 'too much'],
  [new Error('secret'), 500, 'internal error'],
])('%s is told', async (thrown, status, said) => {
  const fails = (): Promise<never> => Promise.reject(thrown)
  await withWay(
    async (port) => {
      const answer = await send(port, { path: '/api/v1/query?query=few' })
      expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json' } })
      expect(answer.headers['retry-after']).toBe(status === 503 ? '5' : undefined)
      expect(answer.text).toContain(said)
      expect(answer.text).not.toContain('secret')
    },
    { answers: { instant: fails, range: fails } },
  )
})

test('a query is given up when its client goes away', async () => {
  let ask: () => void = () => undefined
  const asked = new Promise<void>((resolve) => (ask = resolve))
  let leave: () => void = () => undefined
  const leaving = new Promise<void>((resolve) => (leave = resolve))
  await withWay(
    async (port) => {
      const request = httpRequest({ host: '127.0.0.1', port, path: '/api/v1/query?query=few' })
      request.on('error', () => undefined)
      request.end()
      await asked
      request.destroy()
      await leaving
    },
    {
      answers: {
        instant: (_query, _limit, left) =>
          new Promise((_resolve, reject) => {
            left?.tell(() => {
              reject(new FleetError('query_canceled', 'the client left'))
              leave()
            })
            ask()
          }),
        range: () => Promise.reject(new Error('not asked')),
      },
    },
  )
})

test('a process that is about to end says that the connection does', async () => {
  let readiness = 'ready'
  await withWay(
    async (port) => {
      const answer = await send(port, { path: '/api/v1/query?query=few', headers: { connection: 'keep-alive' } })
      expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
    },
    {
      readiness: () => readiness,
      answers: {
        instant: () => {
          readiness = 'stopping'
          return Promise.resolve('{}')
        },
        range: () => Promise.reject(new Error('not asked')),
      },
    },
  )
})
