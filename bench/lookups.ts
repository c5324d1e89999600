/**
 * What a look-up costs over HTTP: queries so small that the way in and out is most of them. Daytwo, its peers and two
 * servers that answer a constant (`peers/floor-server.ts`) are asked in turns over one kept connection each, so that
 * what else the machine does falls on all of them. Processor time of each server's process, less
 * what it takes at rest in the same time; medians of the turns, and how far they lie apart.
 */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { contestants } from './peers/contestants.ts'
import { SCRAPE_MS } from './peers/fleet.ts'
import { inDirectory, nowMs as wholeMinuteMs, pastMs } from './peers/lives.ts'
import { openConnection } from './peers/one-connection.ts'
import { fleetOf, sendPast, timesEndingAt } from './peers/payloads.ts'
import { startServer, type Peer, type RunningServer } from './peers/server.ts'

const HOUR_MS = 3_600_000
const RANGE_MS = 6 * HOUR_MS
const STEP_MS = 60_000
const CLUSTERS = 100
const SETTLE_MS_MAX = 15_000
const REST_MS = 8000

interface Lookup {
  readonly name: string
  /** @param run no two may ask the same, or a cache of answers would answer */
  readonly path: (run: number, endMs: number) => string
  /** Asked of the last minutes, which are in memory, and not of the past, which is on the disk. */
  readonly isLive?: boolean
  /** Sent beside the least that HTTP wants. */
  readonly headers?: readonly string[]
}

const ONE_SERIES = 'rate(rest_client_requests_total{cluster="fleet-prod-00007", code="200"}[5m])'
const UP = 'up{cluster="fleet-prod-00007"}'
/** The last ten minutes are there, and a rate looks five back. */
const LIVE_SCRAPES = 20
const LIVE_SECONDS = 240
const LOOKUPS: readonly Lookup[] = [
  { name: '1+1', path: (run, endMs) => instantPath('1+1', run, endMs) },
  { name: 'one series, live', path: (run, endMs) => instantPath(UP, run % LIVE_SECONDS, endMs), isLive: true },
  {
    name: 'rate of one series, live',
    path: (run, endMs) => instantPath(ONE_SERIES, run % LIVE_SECONDS, endMs),
    isLive: true,
  },
  { name: 'one series, of the past', path: (run, endMs) => instantPath(UP, run, endMs) },
  { name: 'rate of one series, of the past', path: (run, endMs) => instantPath(ONE_SERIES, run, endMs) },
  { name: 'absent', path: (run, endMs) => instantPath('absent(up{job="nothing"})', run, endMs) },
  { name: 'rate of one series, 6 h @ 1 m', path: (run, endMs) => rangePath(ONE_SERIES, run, endMs) },
  { name: 'absent, 6 h @ 1 m', path: (run, endMs) => rangePath('absent(up{job="nothing"})', run, endMs) },
  {
    name: 'rate of one series, 6 h @ 1 m, gzip',
    path: (run, endMs) => rangePath(ONE_SERIES, run, endMs),
    headers: ['Accept-Encoding: gzip'],
  },
]

function instantPath(query: string, run: number, endMs: number): string {
  const search = new URLSearchParams({ query, time: String((endMs - run * 1000) / 1000), nocache: '1' })
  return `/api/v1/query?${search.toString()}`
}

function rangePath(query: string, run: number, endMs: number): string {
  const start = (endMs - RANGE_MS - run * 1000) / 1000
  const times = { start: String(start), end: String(start + RANGE_MS / 1000), step: String(STEP_MS / 1000) }
  return `/api/v1/query_range?${new URLSearchParams({ query, ...times, nocache: '1' }).toString()}`
}

/** Prints one table. */
export async function run(options: {
  readonly quick?: boolean
  readonly program?: string
  readonly only?: string
  readonly profile?: string
}): Promise<void> {
  const { quick = false, program, only, profile } = options
  // As in a server that has been asked for a while: after 2,500 the last functions were still compiled.
  const [warmUps, asked, turns] = quick ? [500, 500, 3] : [10_000, 500, 15]
  const wanted = (only ?? '').split(',').filter((name) => name !== '')
  const peers = contestants(program).filter(
    ({ name }) => wanted.length === 0 || wanted.some((start) => name.toLowerCase().startsWith(start)),
  )
  const endMs = pastMs()
  await inDirectories(peers, async (dirs) => {
    for (const [i, peer] of peers.entries()) await loadPast(peer, dirs[i]!, endMs)
    const servers: RunningServer[] = []
    try {
      for (const [i, peer] of peers.entries()) servers.push(await startServer(peer, dirs[i]!, profile))
      for (const mode of ['http', 'hop'] as const) servers.push(await startServer(floor(mode), dirs[0]!))
      const nowMs = wholeMinuteMs()
      const live = timesEndingAt(nowMs, LIVE_SCRAPES)
      for (const server of servers.slice(0, peers.length)) await sendPast(server, fleetOf(CLUSTERS), live, LIVE_SCRAPES)
      for (const server of servers) await server.settle(SETTLE_MS_MAX)
      console.log(`${CLUSTERS} clusters, ${turns} turns of ${asked} after ${warmUps}; ms of CPU a request`)
      console.log(`| | ${servers.map(({ peer }) => peer.name).join(' | ')} |`)
      const restShares: number[] = []
      for (const server of servers) restShares.push(await restShareOf(server))
      console.log(`| at rest, of a core | ${restShares.map((share) => `${(share * 100).toFixed(1)} %`).join(' | ')} |`)
      for (const lookup of LOOKUPS) {
        const lastMs = lookup.isLive === true ? nowMs : endMs
        const costs = await costsOf(servers, lookup, { warmUps, asked, turns, endMs: lastMs, restShares })
        console.log(`| ${lookup.name} | ${costs.map(told).join(' | ')} |`)
      }
    } finally {
      for (const server of servers) await server.stop()
    }
  })
}

/** A folder for each peer, all gone at the end. */
async function inDirectories(
  peers: readonly Peer[],
  work: (dirs: readonly string[]) => Promise<void>,
  dirs: readonly string[] = [],
): Promise<void> {
  if (dirs.length === peers.length) await work(dirs)
  else await inDirectory((dir) => inDirectories(peers, work, [...dirs, dir]))
}

async function loadPast(peer: Peer, dir: string, endMs: number): Promise<void> {
  const server = await startServer(peer, dir)
  const scrapes = (RANGE_MS + HOUR_MS) / SCRAPE_MS
  await sendPast(server, fleetOf(CLUSTERS), timesEndingAt(endMs, scrapes), scrapes)
  await server.settle(SETTLE_MS_MAX)
  await server.stop()
}

function floor(mode: 'http' | 'hop'): Peer {
  return {
    name: mode === 'http' ? 'node:http alone' : 'and another thread',
    version: process.versions.node,
    program: process.execPath,
    args: (port) => ['--import', 'tsx', join(import.meta.dirname, 'peers/floor-server.ts'), mode, String(port)],
    writePath: '/',
    readyPath: '/',
    queryParams: {},
    logDirs: [],
  }
}

/** A server has work of its own, such as deriving facts and merging, which is not the query's. */
async function restShareOf(server: RunningServer): Promise<number> {
  const [startMs, beforeMs] = [performance.now(), server.cpuMs()]
  await wait(REST_MS)
  return (server.cpuMs() - beforeMs) / (performance.now() - startMs)
}

interface Rounds {
  readonly warmUps: number
  readonly asked: number
  readonly turns: number
  readonly endMs: number
  /** Of a core, by server. */
  readonly restShares: readonly number[]
}

/** Milliseconds of each server's processor time a request, turn by turn. */
async function costsOf(
  servers: readonly RunningServer[],
  { path, headers }: Lookup,
  { warmUps, asked, turns, endMs, restShares }: Rounds,
): Promise<number[][]> {
  const costs: number[][] = servers.map(() => [])
  for (let turn = -1; turn < turns; turn++) {
    for (const [i, server] of servers.entries()) {
      const connection = await openConnection(server.port, headers)
      const count = turn < 0 ? warmUps : asked
      // Each turn a moment of its own within the hour before the end.
      const firstRun = turn < 0 ? 0 : 1
      const beforeMs = server.cpuMs()
      const startMs = performance.now()
      for (let run = 0; run < count; run++) await connection.get(path((firstRun + run) % 3600, endMs + turn * 100))
      const restMs = restShares[i]! * (performance.now() - startMs)
      if (turn >= 0) costs[i]!.push((server.cpuMs() - beforeMs - restMs) / count)
      connection.close()
    }
  }
  return costs
}

/** The median of all turns, and how far they lie apart. */
function told(costs: readonly number[]): string {
  const sorted = costs.toSorted((a, b) => a - b)
  const [least, median, most] = [0, Math.floor(costs.length / 2), costs.length - 1].map((at) => sorted[at]!.toFixed(2))
  return `${median} (${least}-${most})`
}
