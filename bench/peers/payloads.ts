/** Requests for a fleet, spread over connections. All of them are whole before any is sent. */
import { SCRAPE_MS, SERIES_PER_CLUSTER, seriesOf, type FleetSeries } from './fleet.ts'
import { httpRequest, send, type Request } from './sender.ts'
import type { RunningServer } from './server.ts'
import { writeBody, type ScrapeTimes, type SeriesSlice } from './write-body.ts'

export const CONNECTIONS = 8
/** A relay forwards many clusters at once: samples a request. */
export const RELAY_SAMPLES = 10_000
/** Waves of the past: Prometheus refuses what is more than an hour behind the newest sample of all. */
const WAVE_MS = 50 * 60_000

export type Fleet = readonly (readonly FleetSeries[])[]

export function fleetOf(clusters: number, first = 0): Fleet {
  return Array.from({ length: clusters }, (_, at) => seriesOf(first + at))
}

export function timesEndingAt(endMs: number, scrapes: number): ScrapeTimes {
  return { firstMs: endMs - (scrapes - 1) * SCRAPE_MS, stepMs: SCRAPE_MS }
}

/** One connection carries all of a cluster, so that its samples arrive in order; clusters take turns within it. */
export function lanesOf(
  path: string,
  fleet: Fleet,
  requestsOf: (series: readonly FleetSeries[]) => readonly (readonly SeriesSlice[])[],
  times: ScrapeTimes,
  connections = CONNECTIONS,
): Request[][] {
  const lanes: Request[][] = Array.from({ length: connections }, () => [])
  const requests = fleet.map(requestsOf)
  const rounds = Math.max(0, ...requests.map((list) => list.length))
  for (let round = 0; round < rounds; round++) {
    for (const [cluster, list] of requests.entries()) {
      const slices = list[round]
      if (slices === undefined) continue
      lanes[cluster % connections]!.push({ bytes: httpRequest(path, writeBody(slices, times)) })
    }
  }
  return lanes
}

/** Scrapes `[from, to)`. */
export interface Wave {
  readonly from: number
  readonly to: number
}

export function relayLanes(
  path: string,
  fleet: Iterable<readonly FleetSeries[]>,
  wave: Wave,
  times: ScrapeTimes,
): Request[][] {
  return relayWaves(path, fleet, [wave], times)[0]!
}

/**
 * For each wave, requests of up to `RELAY_SAMPLES` samples, each of many clusters. The fleet may be made cluster by
 * cluster: the labels of 600,000 series at once would be half a gigabyte.
 */
export function relayWaves(
  path: string,
  fleet: Iterable<readonly FleetSeries[]>,
  waves: readonly Wave[],
  times: ScrapeTimes,
): Request[][][] {
  const lanes = waves.map(() => Array.from({ length: CONNECTIONS }, (): Request[] => []))
  const longest = Math.max(...waves.map(({ from, to }) => to - from))
  const perRequest = Math.max(1, Math.floor(RELAY_SAMPLES / longest))
  let some: FleetSeries[] = []
  let requests = 0
  const close = (): void => {
    const lane = requests++ % CONNECTIONS
    for (const [at, { from, to }] of waves.entries()) {
      lanes[at]![lane]!.push({ bytes: httpRequest(path, writeBody(scrapesOf(some, from, to), times)) })
    }
    some = []
  }
  for (const cluster of fleet) {
    for (const series of cluster) {
      some.push(series)
      if (some.length === perRequest) close()
    }
  }
  if (some.length > 0) close()
  return lanes
}

/** The past, in waves and by relays, many samples of a series side by side: only what it leaves behind is measured. */
export async function sendPast(
  server: RunningServer,
  fleet: Fleet,
  times: ScrapeTimes,
  scrapes: number,
): Promise<{ readonly samples: number; readonly putOff: number }> {
  const waveScrapes = Math.max(1, Math.floor(WAVE_MS / times.stepMs))
  let putOff = 0
  for (let from = 0; from < scrapes; from += waveScrapes) {
    const to = Math.min(scrapes, from + waveScrapes)
    const sent = await send(server.port, relayLanes(server.peer.writePath, fleet, { from, to }, times))
    putOff += sent.putOff
  }
  return { samples: fleet.reduce((sum, series) => sum + series.length, 0) * scrapes, putOff }
}

export function scrapesOf(series: readonly FleetSeries[], fromScrape: number, toScrape: number): SeriesSlice[] {
  return series.map((one) => ({ series: one, fromScrape, toScrape }))
}

/** As a Prometheus with a backlog sends: every sample is a TimeSeries of its own, labels repeated. */
export function backlogOf(series: readonly FleetSeries[], fromScrape: number, samples: number): SeriesSlice[] {
  return Array.from({ length: Math.ceil(samples / SERIES_PER_CLUSTER) }, (_, i) =>
    scrapesOf(series, fromScrape + i, fromScrape + i + 1),
  )
    .flat()
    .slice(0, samples)
}
