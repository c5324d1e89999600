/**
 * What a look-up costs over HTTP: queries so small that the way in and out is most of them. Daytwo, its peers and two
 * servers that answer a constant (`peers/floor-server.ts`) are asked in turns over one kept connection each, so that
 * what else the machine does falls on all of them. Processor time of each server's process; medians of the turns.
 */
import { join } from 'node:path'
import { contestants } from './peers/contestants.ts'
import { SCRAPE_MS } from './peers/fleet.ts'
import { inDirectory, pastMs } from './peers/lives.ts'
import { openConnection } from './peers/one-connection.ts'
import { fleetOf, sendPast, timesEndingAt } from './peers/payloads.ts'
import { startServer } from './peers/server.ts'
import type { Peer, RunningServer } from './peers/server.ts'

const HOUR_MS = 3_600_000
const RANGE_MS = 6 * HOUR_MS
const STEP_MS = 60_000
const CLUSTERS = 100
const SETTLE_MS_MAX = 30_000

interface Lookup {
  readonly name: string
  /** @param run no two may ask the same, or a cache of answers would answer */
  readonly path: (run: number, endMs: number) => string
  /** Sent beside the least that HTTP wants. */
  readonly headers?: readonly string[]
}

const ONE_SERIES = 'rate(rest_client_requests_total{cluster="fleet-prod-00007", code="200"}[5m])'
const LOOKUPS: readonly Lookup[] = [
  { name: '1+1', path: (run, endMs) => instantPath('1+1', run, endMs) },
  { name: 'one series, now', path: (run, endMs) => instantPath('up{cluster="fleet-prod-00007"}', run, endMs) },
  { name: 'rate of one series, now', path: (run, endMs) => instantPath(ONE_SERIES, run, endMs) },
  { name: 'absent, now', path: (run, endMs) => instantPath('absent(up{job="nothing"})', run, endMs) },
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
  const [warmUps, asked, turns] = quick ? [500, 500, 3] : [3000, 1500, 5]
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
      for (const server of servers) await server.settle(SETTLE_MS_MAX)
      console.log(`${CLUSTERS} clusters, ${turns} turns of ${asked} after ${warmUps}; ms of CPU a request`)
      console.log(`| | ${servers.map(({ peer }) => peer.name).join(' | ')} |`)
      for (const lookup of LOOKUPS) {
        const costs = await costsOf(servers, lookup, { warmUps, asked, turns, endMs })
        console.log(`| ${lookup.name} | ${costs.map((ms) => ms.toFixed(3)).join(' | ')} |`)
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

interface Rounds {
  readonly warmUps: number
  readonly asked: number
  readonly turns: number
  readonly endMs: number
}

/** Milliseconds of each server's processor time a request, the median of all turns. */
async function costsOf(
  servers: readonly RunningServer[],
  { path, headers }: Lookup,
  { warmUps, asked, turns, endMs }: Rounds,
): Promise<number[]> {
  const costs: number[][] = servers.map(() => [])
  for (let turn = -1; turn < turns; turn++) {
    for (const [i, server] of servers.entries()) {
      const connection = await openConnection(server.port, headers)
      const count = turn < 0 ? warmUps : asked
      // Each turn a moment of its own within the hour before the end.
      const firstRun = turn < 0 ? 0 : 1
      const beforeMs = server.cpuMs()
      for (let run = 0; run < count; run++) await connection.get(path((firstRun + run) % 3600, endMs + turn * 100))
      if (turn >= 0) costs[i]!.push((server.cpuMs() - beforeMs) / count)
      connection.close()
    }
  }
  return costs.map((of) => of.sort((a, b) => a - b)[Math.floor(of.length / 2)]!)
}
