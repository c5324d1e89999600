/**
 * What each server goes through, in four lives with an empty directory each: steady writes of two sizes, a fleet of new
 * series all at once, six hours of the whole fleet, 30 days of its states. Bodies are made before the clock starts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SCRAPE_MS, SERIES_PER_CLUSTER, historySeriesOf, seriesOf } from './fleet.ts'
import type { FleetSeries } from './fleet.ts'
import { SIX_HOUR_QUERIES, THIRTY_DAY_QUERIES, measureRange, measureRules } from './queries.ts'
import type { QueryCost, RangeQuery } from './queries.ts'
import { httpRequest, send } from './sender.ts'
import type { Sent } from './sender.ts'
import { diskBytes, startServer } from './server.ts'
import type { Peer, RunningServer } from './server.ts'
import { writeBody } from './write-body.ts'
import type { ScrapeTimes, SeriesSlice } from './write-body.ts'

/** How large a run is. */
export interface Scale {
  readonly steadyClusters: number
  /** Of 60-sample requests, per cluster. */
  readonly smallScrapes: number
  readonly newClusters: number
  readonly sixHourClusters: number
  readonly historyClusters: number
  readonly historyStepMs: number
}

export interface IngestCost extends Sent {
  readonly samples: number
  readonly samplesPerCpuSecond: number
}

export interface PeerResult {
  readonly peer: Peer
  readonly large: IngestCost
  readonly small: IngestCost
  readonly allNew: IngestCost
  readonly peakBytesAllNew: number
  readonly diskBytesPerSample: number
  readonly rules: QueryCost
  readonly queries: readonly (readonly [RangeQuery, QueryCost])[]
}

const CONNECTIONS = 8
const LARGE_SAMPLES = 2000
const RELAY_SAMPLES = 10_000
const HOUR_MS = 3_600_000
const WAVE_SCRAPES = 60
/** How long a server may put off what a write costs: paid for when it comes within this. */
const WRITE_SETTLE_MS_MAX = 4000
/** How long it may work on old samples before it is asked. */
const FLUSH_SETTLE_MS_MAX = 30_000

/** @param endMs when the newest sample of the six hours is; the same for all peers, some hours ago */
export async function measurePeer(peer: Peer, scale: Scale, endMs: number): Promise<PeerResult> {
  const steady = await timed(`${peer.name}, writes`, () =>
    inOneLife(peer, (server) => measureSteady(server, scale, endMs)),
  )
  const fresh = await timed(`${peer.name}, all series new`, () =>
    inOneLife(peer, (server) => measureAllNew(server, scale, endMs)),
  )
  const sixHours = await timed(`${peer.name}, six hours`, () => measureSixHours(peer, scale, endMs))
  const history = await timed(`${peer.name}, 30 days`, () =>
    inOneLife(peer, (server) => measureHistory(server, scale, endMs)),
  )
  return { peer, ...steady, ...fresh, ...sixHours, queries: [...sixHours.queries, ...history] }
}

/** Says how long a part took, so that whoever waits knows how far it is. */
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now()
  const result = await work()
  console.log(`${name}: ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
  return result
}

async function inOneLife<T>(peer: Peer, measure: (server: RunningServer) => Promise<T>): Promise<T> {
  return inDirectory(async (dir) => {
    const server = await startServer(peer, dir)
    try {
      return await measure(server)
    } finally {
      await server.stop()
    }
  })
}

async function inDirectory<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  const remove = (): void => {
    rmSync(dir, { recursive: true, force: true })
  }
  process.once('exit', remove)
  try {
    return await work(dir)
  } finally {
    process.removeListener('exit', remove)
    remove()
  }
}

async function measureSteady(
  server: RunningServer,
  scale: Scale,
  endMs: number,
): Promise<Pick<PeerResult, 'large' | 'small'>> {
  const fleet = Array.from({ length: scale.steadyClusters }, (_, cluster) => seriesOf(cluster))
  const largeScrapes = Math.ceil(LARGE_SAMPLES / SERIES_PER_CLUSTER)
  const times = timesEndingAt(endMs, 1 + largeScrapes + scale.smallScrapes, SCRAPE_MS)
  const from = { large: 1, small: 1 + largeScrapes }
  // All series are known before the measurement: their first sight is measured apart.
  await send(
    server.port,
    lanesOf(server.peer, fleet, (series) => [slicesOf(series, 0, 1)], times),
  )
  const large = await measureSend(server, LARGE_SAMPLES * fleet.length, () =>
    lanesOf(server.peer, fleet, (series) => [scrapeByScrape(series, from.large, largeScrapes, LARGE_SAMPLES)], times),
  )
  const small = await measureSend(server, SERIES_PER_CLUSTER * scale.smallScrapes * fleet.length, () =>
    lanesOf(
      server.peer,
      fleet,
      (series) =>
        Array.from({ length: scale.smallScrapes }, (_, i) => slicesOf(series, from.small + i, from.small + i + 1)),
      times,
    ),
  )
  return { large, small }
}

async function measureAllNew(
  server: RunningServer,
  scale: Scale,
  endMs: number,
): Promise<{ readonly allNew: IngestCost; readonly peakBytesAllNew: number }> {
  const samples = scale.newClusters * SERIES_PER_CLUSTER
  const allNew = await measureSend(server, samples, () => {
    const times = timesEndingAt(endMs, 1, SCRAPE_MS)
    const lanes: Buffer[][] = Array.from({ length: CONNECTIONS }, () => [])
    let slices: SeriesSlice[] = []
    let requests = 0
    const flush = (): void => {
      lanes[requests++ % CONNECTIONS]!.push(httpRequest(server.peer.writePath, writeBody(slices, times)))
      slices = []
    }
    for (let cluster = 0; cluster < scale.newClusters; cluster++) {
      for (const series of seriesOf(cluster)) {
        slices.push({ series, fromScrape: 0, toScrape: 1 })
        if (slices.length === RELAY_SAMPLES) flush()
      }
    }
    if (slices.length > 0) flush()
    return lanes
  })
  return { allNew, peakBytesAllNew: server.peakBytes() }
}

/** Disk is measured in rest after a restart, when each server has had the time to do what it does with old samples. */
async function measureSixHours(
  peer: Peer,
  scale: Scale,
  endMs: number,
): Promise<Pick<PeerResult, 'diskBytesPerSample' | 'rules' | 'queries'>> {
  return inDirectory(async (dir) => {
    const scrapes = (6 * HOUR_MS) / SCRAPE_MS
    const fleet = Array.from({ length: scale.sixHourClusters }, (_, cluster) => seriesOf(cluster))
    const first = await startServer(peer, dir)
    try {
      await sendHistory(first, fleet, timesEndingAt(endMs, scrapes, SCRAPE_MS), scrapes)
      await first.settle(FLUSH_SETTLE_MS_MAX)
    } finally {
      await first.stop()
    }
    const server = await startServer(peer, dir)
    try {
      await server.settle(FLUSH_SETTLE_MS_MAX)
      const queries: [RangeQuery, QueryCost][] = []
      for (const query of SIX_HOUR_QUERIES) queries.push([query, await measureRange(server, query, endMs)])
      const rules = await measureRules(server, endMs)
      await server.stop()
      const samples = fleet.length * SERIES_PER_CLUSTER * scrapes
      return { diskBytesPerSample: diskBytes(dir) / samples, rules, queries }
    } finally {
      await server.stop()
    }
  })
}

async function measureHistory(
  server: RunningServer,
  scale: Scale,
  endMs: number,
): Promise<readonly (readonly [RangeQuery, QueryCost])[]> {
  const scrapes = (720 * HOUR_MS) / scale.historyStepMs
  // Values follow from scrapes of 30 seconds: with a longer step they move as often per hour.
  const perStep = scale.historyStepMs / SCRAPE_MS
  const fleet = Array.from({ length: scale.historyClusters }, (_, cluster) =>
    historySeriesOf(cluster).map(({ labelFields, valueAt }) => ({
      labelFields,
      valueAt: (scrape: number) => valueAt(scrape * perStep),
    })),
  )
  await sendHistory(server, fleet, timesEndingAt(endMs, scrapes, scale.historyStepMs), scrapes)
  await server.settle(FLUSH_SETTLE_MS_MAX)
  const costs: [RangeQuery, QueryCost][] = []
  for (const query of THIRTY_DAY_QUERIES) costs.push([query, await measureRange(server, query, endMs)])
  return costs
}

/** The past, in waves: many samples of a series side by side, because only what it leaves behind is measured. */
async function sendHistory(
  server: RunningServer,
  fleet: readonly (readonly FleetSeries[])[],
  times: ScrapeTimes,
  scrapes: number,
): Promise<void> {
  for (let from = 0; from < scrapes; from += WAVE_SCRAPES) {
    const to = Math.min(scrapes, from + WAVE_SCRAPES)
    await send(
      server.port,
      lanesOf(server.peer, fleet, (series) => [slicesOf(series, from, to)], times),
    )
  }
}

async function measureSend(server: RunningServer, samples: number, prepare: () => Buffer[][]): Promise<IngestCost> {
  const lanes = prepare()
  await server.settle(WRITE_SETTLE_MS_MAX)
  const startCpuMs = server.cpuMs()
  const sent = await send(server.port, lanes)
  // What was put off is paid for too.
  await server.settle(WRITE_SETTLE_MS_MAX)
  return { ...sent, samples, samplesPerCpuSecond: (samples * 1000) / (server.cpuMs() - startCpuMs) }
}

/** One connection carries all of a cluster, so that its samples arrive in order; clusters take turns within it. */
function lanesOf(
  peer: Peer,
  fleet: readonly (readonly FleetSeries[])[],
  requestsOf: (series: readonly FleetSeries[]) => readonly (readonly SeriesSlice[])[],
  times: ScrapeTimes,
): Buffer[][] {
  const lanes: Buffer[][] = Array.from({ length: CONNECTIONS }, () => [])
  const requests = fleet.map(requestsOf)
  const rounds = Math.max(0, ...requests.map((list) => list.length))
  for (let round = 0; round < rounds; round++) {
    for (const [cluster, list] of requests.entries()) {
      const slices = list[round]
      if (slices === undefined) continue
      lanes[cluster % CONNECTIONS]!.push(httpRequest(peer.writePath, writeBody(slices, times)))
    }
  }
  return lanes
}

function slicesOf(series: readonly FleetSeries[], fromScrape: number, toScrape: number): SeriesSlice[] {
  return series.map((one) => ({ series: one, fromScrape, toScrape }))
}

/** As a Prometheus with a backlog sends: every sample is a TimeSeries of its own, labels repeated. */
function scrapeByScrape(
  series: readonly FleetSeries[],
  fromScrape: number,
  scrapes: number,
  samplesMax: number,
): SeriesSlice[] {
  return Array.from({ length: scrapes }, (_, i) => slicesOf(series, fromScrape + i, fromScrape + i + 1))
    .flat()
    .slice(0, samplesMax)
}

function timesEndingAt(endMs: number, scrapes: number, stepMs: number): ScrapeTimes {
  return { firstMs: endMs - (scrapes - 1) * stepMs, stepMs }
}
