import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { QueryAnswers } from '../../../src/api/prometheus/query-answers.ts'
import { READ_WITHIN_MS } from '../../../src/api/server/query-lanes.ts'
import { FleetError } from '../../../src/base/errors.ts'
import { until } from '../../support/until.ts'
import { QUEUE, makeServer } from '../test-server.ts'

// Over real sockets: requests that wait, clients that leave, and clients that do not read.

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Answers of `instant` that the test gives. */
function held() {
  const started: { readonly expr: string; readonly signal: AbortSignal; readonly answer: (bytes: number) => void }[] =
    []
  const instant: QueryAnswers['instant'] = ({ expr }, _request, signal) =>
    new Promise((resolve, reject) => {
      signal!.addEventListener('abort', () => {
        reject(new FleetError('query_canceled', 'canceled'))
      })
      const answer = (bytes: number): void => {
        resolve(Array.from({ length: Math.ceil(bytes / 65_536) }, () => new Uint8Array(65_536).fill(0x20)))
      }
      started.push({ expr, signal: signal!, answer })
    })
  return { started, instant }
}

async function listening(queue: Partial<typeof QUEUE> = {}, more: Parameters<typeof makeServer>[0] = {}) {
  const { started, instant } = held()
  const none = (): Promise<never> => Promise.reject(new Error('not called'))
  const others = { range: none, series: none, labelNames: none, labelValues: none, exemplars: none, metadata: none }
  const server = await makeServer({
    answers: { instant, ...others },
    settings: { queue: { ...QUEUE, ...queue } },
    ...more,
  })
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  closers.push(() => server.app.close())
  const { port } = server.app.server.address() as AddressInfo
  const shown = async (name: string): Promise<string[]> =>
    (await server.deps.metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name))
  return {
    ...server,
    started,
    shown,
    url: (expr: string) => `http://127.0.0.1:${port}/api/v1/query?query=${expr}`,
    /** Sends the request and reads nothing. */
    open: (expr: string): Socket => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.pause()
      socket.write(`GET /api/v1/query?query=${expr} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
      closers.push(() => socket.destroy())
      return socket
    },
    shows: (line: string) =>
      until(`the metric ${line}`, async () => ((await shown(line)).length > 0 ? true : undefined)),
    starts: (count: number) => until(`${count} queries to start`, () => (started.length === count ? true : undefined)),
  }
}

describe('queries', () => {
  test('wait for a place, and are answered 429 with Retry-After when their owner has too many', async () => {
    const { url, open, started, starts, shows } = await listening({ concurrencyMax: 2, ownerWaitingMax: 2 })
    const first = fetch(url('q1'))
    await starts(1)
    open('q2')
    open('q3')
    await shows('daytwo_query_requests_waiting{lane="query"} 2')
    const refused = await fetch(url('q4'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect(await refused.json()).toEqual({
      status: 'error',
      errorType: 'unavailable',
      error: '2 requests of address 127.0.0.1 wait already; query.owner-waiting-max is 2',
    })
    await shows('daytwo_query_requests_refused_total{lane="query",reason="too_many_requests"} 1')
    started[0]!.answer(100)
    expect((await first).status).toBe(200)
    await starts(2)
    expect(started[1]!.expr).toBe('q2')
  })

  test('are answered 503 with Retry-After when they waited too long', async () => {
    const { url, open, clock, starts, shows } = await listening({ concurrencyMax: 1 })
    open('q1')
    await starts(1)
    const second = fetch(url('q2'))
    await shows('daytwo_query_requests_waiting{lane="query"} 1')
    clock.advance(QUEUE.waitMsMax)
    const refused = await second
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(((await refused.json()) as { error: string }).error).toContain('query.wait-max')
  })

  test('leave the queue, or end, when their client leaves', async () => {
    const { open, started, starts, shows } = await listening({ concurrencyMax: 1 })
    const [first, second] = [open('q1'), open('q2')]
    await shows('daytwo_query_requests_waiting{lane="query"} 1')
    second.destroy()
    await shows('daytwo_query_requests_waiting{lane="query"} 0')
    await starts(1)
    first.destroy()
    await until('the query to be canceled', () => (started[0]!.signal.aborted ? true : undefined))
    await shows('daytwo_query_requests_running{lane="query"} 0')
  })

  test('take no place when their client leaves while its token is checked', async () => {
    let [asked, open] = [0, (): void => undefined]
    const opened = new Promise<void>((resolve) => (open = resolve))
    const authenticate = async () => {
      asked++
      await opened
      return { name: 'viewer', role: 'viewer' } as const
    }
    const server = await listening({ concurrencyMax: 1 }, { authenticate, requiresToken: true })
    const { port } = server.app.server.address() as AddressInfo
    const ask = (expr: string): Socket => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET /api/v1/query?query=${expr} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t\r\n\r\n`)
      closers.push(() => socket.destroy())
      return socket
    }
    const left = ask('q1')
    await until('the token to be checked', () => (asked === 1 ? true : undefined))
    left.destroy()
    await until('the connection to be closed', async () => {
      const count = await new Promise<number>((resolve) => {
        server.app.server.getConnections((_error, connections) => {
          resolve(connections)
        })
      })
      return count === 0 ? true : undefined
    })
    open()
    ask('q2')
    await until('the second query to start', () =>
      server.started.some(({ expr }) => expr === 'q2') ? true : undefined,
    )
    expect(server.started.map(({ expr }) => expr)).toEqual(['q2'])
    await server.shows('daytwo_query_requests_running{lane="query"} 1')
  })

  test('do not hold up a page', async () => {
    const { app, open, starts } = await listening({ concurrencyMax: 2, ownerWaitingMax: 1 })
    open('q1')
    open('q2')
    await starts(1)
    expect((await app.inject('/api/v1/rules')).statusCode).toBe(200)
    expect((await app.inject('/-/healthy')).statusCode).toBe(200)
  })

  test('end when the server stops, and those that wait are refused', async () => {
    const { app, url, started, starts, shows } = await listening({ concurrencyMax: 1 })
    const running = fetch(url('q1'))
    await starts(1)
    const waiting = fetch(url('q2'))
    await shows('daytwo_query_requests_waiting{lane="query"} 1')
    const closed = app.close()
    expect((await waiting).status).toBe(503)
    expect((await running).status).toBe(499)
    expect(started[0]!.signal.aborted).toBe(true)
    await closed
  })
})

describe('a response', () => {
  const LARGE = 64 * 1024 * 1024

  test('keeps its place until it has left, however slowly it is read', async () => {
    const { open, clock, started, starts, shows } = await listening({ concurrencyMax: 1, waitMsMax: Infinity })
    const socket = open('q1')
    await starts(1)
    started[0]!.answer(LARGE)
    open('q2')
    await shows('daytwo_query_requests_waiting{lane="query"} 1')
    // It reads now and then, more than all buffers on the way hold.
    for (let i = 0; i < 2; i++) {
      await reads(socket, LARGE / 4)
      clock.advance(READ_WITHIN_MS)
    }
    expect([socket.closed, started.length]).toEqual([false, 1])
    socket.destroy()
    await starts(2)
  })

  test('that nobody reads is given up, and its connection closed', async () => {
    const { open, clock, started, starts, shows } = await listening({ concurrencyMax: 1, waitMsMax: Infinity })
    open('q1')
    await starts(1)
    started[0]!.answer(LARGE)
    open('q2')
    await shows('daytwo_query_requests_waiting{lane="query"} 1')
    // The watch starts when the response does; what the buffers on the way hold counts as read.
    await until('the connection to be given up', async () => {
      clock.advance(READ_WITHIN_MS)
      await new Promise((resolve) => setImmediate(resolve))
      return started.length === 2 ? true : undefined
    })
    await shows('daytwo_slow_readers_closed_total 1')
  })
})

test('every route that shows something of the fleet has a lane, and queries have their own', async () => {
  const { app } = await makeServer()
  closers.push(() => app.close())
  const without = app.routeTable.filter(({ lane, isWrongMethod }) => lane === undefined && !isWrongMethod)
  const unqueued = without.filter(({ access, dialect }) => access !== 'public' && dialect !== 'text')
  expect(unqueued.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/metrics',
    'POST /api/v1/otlp/v1/metrics',
    'POST /v1/traces',
    'POST /v1/logs',
    'GET /api/fleet/v1/events',
    'POST /api/v2/alerts',
  ])
  const queries = app.routeTable.filter(({ lane }) => lane === 'query').map(({ method, url }) => `${method} ${url}`)
  expect(queries.filter((route) => !/ \/api\/(v3\/|traces|services|operations|dependencies)/.test(route))).toEqual([
    'GET /api/v1/query',
    'POST /api/v1/query',
    'GET /api/v1/query_range',
    'POST /api/v1/query_range',
    'GET /api/v1/format_query',
    'POST /api/v1/format_query',
    'GET /api/v1/parse_query',
    'POST /api/v1/parse_query',
    'GET /api/v1/explain',
    'POST /api/v1/explain',
    'GET /api/v1/series',
    'POST /api/v1/series',
    'GET /api/v1/labels',
    'POST /api/v1/labels',
    'GET /api/v1/label/:name/values',
    'GET /api/v1/query_exemplars',
    'POST /api/v1/query_exemplars',
    'GET /api/v1/metadata',
    'GET /api/v1/targets',
    'GET /api/v1/scrape_pools',
    'GET /api/v1/targets/metadata',
    'GET /api/v1/status/tsdb',
    'GET /federate',
    'GET /debug/series',
    'GET /api/fleet/v1/logs',
    'POST /api/fleet/v1/plans',
    'GET /api/fleet/v1/configuration/baseline/replay',
    'GET /api/fleet/v1/bundles/upgrades/:id',
    'GET /api/fleet/v1/bundles/alerts/:fingerprint',
    'GET /api/fleet/v1/bundles/rollouts/:version',
    'POST /api/fleet/v1/rules/replay',
  ])
})

/** Reads this many bytes, and little more. */
function reads(socket: Socket, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const until = socket.bytesRead + bytes
    const onData = (): void => {
      if (socket.bytesRead <= until) return
      socket.off('data', onData).pause()
      resolve()
    }
    socket.on('data', onData).resume()
  })
}
