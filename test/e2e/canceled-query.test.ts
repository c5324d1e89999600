import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { EVALUATED_HERE, settled } from '../support/mode.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// A query that would take minutes, over a real socket that its client closes: the server's processor time ends with it, and
// until then others are answered.

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const SERIES = 100
const MINUTE_MS = 60_000
/** Sorts an hour of seconds at each second of an hour, for each series: some minutes of processor time. */
const HEAVY = `sum(max_over_time(quantile_over_time(0.9, (heavy * 1)[1h:1s])[1h:1s])) and ${EVALUATED_HERE}`

/** Processor time of all threads of a process, from Linux's own count of ticks of 10 ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Opens a socket, sends the request, and reads nothing. */
function ask(url: string, expr: string, timeMs: number): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const path = `/api/v1/query?${new URLSearchParams({ query: expr, time: String(timeMs / 1000) }).toString()}`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
  socket.on('error', () => undefined)
  return socket
}

async function canceled(server: RunningServer): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^daytwo_queries_total\{outcome="query_canceled"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

test('a query ends when its client closes the connection', async () => {
  const data = tempDir('canceled')
  closers.push(() => {
    data.remove()
  })
  const args = [
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--data',
    data.path,
    '--query.timeout',
    '10m',
    '--no-own-metrics',
    ...withoutContent(),
  ]
  const server = await startServer(args)
  closers.push(() => server.stop())
  const nowMs = systemClock.nowMs()
  const samples = Array.from({ length: 130 }, (_, i) => ({
    timeMs: nowMs - (130 - i) * MINUTE_MS,
    value: (i * 7) % 13,
  }))
  const series = Array.from({ length: SERIES }, (_, i) => {
    return { labels: { __name__: 'heavy', cluster: `c-${i}` }, samples }
  })
  expect((await postWrite(server.url, writeBody(series))).status).toBe(204)
  await settled(server.url)

  const beforeMs = cpuMs(server.pid)
  const socket = ask(server.url, HEAVY, nowMs)
  closers.push(() => socket.destroy())
  await until('the query to be under way', () => (cpuMs(server.pid) - beforeMs > 1500 ? true : undefined))
  // Others are answered meanwhile.
  expect(await server.query('count(heavy)', nowMs)).toMatchObject([{ value: [expect.anything(), String(SERIES)] }])
  expect(await canceled(server)).toBe(0)

  const closedMs = cpuMs(server.pid)
  socket.destroy()
  await until('the query to be counted as canceled', async () => ((await canceled(server)) === 1 ? true : undefined))
  // Counted when it has ended, and it ended soon: it needs minutes.
  expect(cpuMs(server.pid) - closedMs).toBeLessThan(5000)
  let last = { atMs: performance.now(), cpuMs: cpuMs(server.pid) }
  await until('the server to be quiet', () => {
    const now = { atMs: performance.now(), cpuMs: cpuMs(server.pid) }
    if (now.atMs - last.atMs < 500) return undefined
    const isQuiet = now.cpuMs - last.cpuMs < 100
    last = now
    return isQuiet ? true : undefined
  })
  expect(last.cpuMs - closedMs).toBeLessThan(10_000)
})
