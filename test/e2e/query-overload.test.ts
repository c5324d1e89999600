import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { EVALUATED_HERE, settled } from '../support/mode.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// Far more heavy queries than the server runs: the rest waits or is refused, rules are evaluated meanwhile, what clients
// abandon is freed, and SIGTERM ends the server although queries run.

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const MINUTE_MS = 60_000
const QUERIES = 60
const OWNER_WAITING_MAX = 20
/** One owner has half of them. */
const CONCURRENCY_MAX = 4
const REFUSED = QUERIES - OWNER_WAITING_MAX - CONCURRENCY_MAX / 2
/** Some minutes of processor time. */
const HEAVY = `sum(max_over_time(quantile_over_time(0.9, (heavy * 1)[1h:1s])[1h:1s])) and ${EVALUATED_HERE}`
const RULES = 'groups: [{ name: beat, interval: 1s, rules: [{ record: beat, expr: count(heavy) }] }]'

test('rules are evaluated and the server stops while heavy queries run, and what clients leave is freed', async () => {
  const [data, rules] = [tempDir('overload'), tempDir('overload-rules')]
  closers.push(
    () => {
      data.remove()
    },
    () => {
      rules.remove()
    },
  )
  writeFileSync(join(rules.path, 'beat.yaml'), RULES)
  const server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', data.path, '--query.timeout', '10m', '--no-own-metrics'],
    ...['--query.concurrency-max', String(CONCURRENCY_MAX), '--query.owner-waiting-max', String(OWNER_WAITING_MAX)],
    ...['--query.wait-max', '10m', ...withoutContent(rules.path)],
  ])
  closers.push(() => server.kill())
  const nowMs = systemClock.nowMs()
  const samples = Array.from({ length: 130 }, (_, i) => ({ timeMs: nowMs - (130 - i) * MINUTE_MS, value: i % 13 }))
  const series = Array.from({ length: 100 }, (_, i) => {
    return { labels: { __name__: 'heavy', cluster: `c-${i}` }, samples }
  })
  expect((await postWrite(server.url, writeBody(series))).status).toBe(204)
  await settled(server.url)

  const { hostname, port } = new URL(server.url)
  const ask = (): Socket => {
    const socket = connect(Number(port), hostname)
    const path = `/api/v1/query?${new URLSearchParams({ query: HEAVY, time: String(nowMs / 1000) }).toString()}`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
    socket.on('error', () => undefined)
    return socket
  }
  /** The sum of a metric's series that match; they may not exist yet. */
  const metric = async (pattern: RegExp): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    const lines = text.split('\n').filter((line) => pattern.test(line))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  const reaches = (pattern: RegExp, value: number) =>
    until(`${pattern.source} to be ${value}`, async () => ((await metric(pattern)) === value ? true : undefined))

  const sockets = Array.from({ length: QUERIES }, ask)
  closers.push(() => sockets.map((socket) => socket.destroy()))
  await reaches(/^daytwo_query_requests_refused_total\{lane="query",reason="too_many_requests"\}/, REFUSED)
  expect(await metric(/^daytwo_query_requests_waiting\{lane="query"\}/)).toBe(OWNER_WAITING_MAX)
  expect(await metric(/^daytwo_query_requests_running\{lane="query"\}/)).toBe(CONCURRENCY_MAX / 2)

  const iterations = /^daytwo_rule_group_iterations_total/
  const before = await metric(iterations)
  await until('rules to be evaluated', async () => ((await metric(iterations)) >= before + 3 ? true : undefined))

  for (const socket of sockets) socket.destroy()
  await reaches(/^daytwo_query_requests_(waiting|running)\{lane="query"\}/, 0)
  await reaches(/^daytwo_query_requests_refused_total\{lane="query",reason="query_canceled"\}/, OWNER_WAITING_MAX)

  const rest = Array.from({ length: CONCURRENCY_MAX }, ask)
  closers.push(() => rest.map((socket) => socket.destroy()))
  await reaches(/^daytwo_query_requests_running\{lane="query"\}/, CONCURRENCY_MAX / 2)
  expect(await server.stop()).toBe(0)
})
