/**
 * What the past costs: six hours of the fleet on the disk and in queries, weeks of its states and counters in queries,
 * and a restart over 100 million samples. Each is measured in a second life, at rest: by then each server has done what
 * it does with old samples.
 */
import { SCRAPE_MS, historySeriesOf } from './fleet.ts'
import { inDirectory, live, pastMs, type Course } from './lives.ts'
import { fleetOf, sendPast, timesEndingAt, type Fleet } from './payloads.ts'
import { measureRanges } from './asking.ts'
import { KIND_QUERIES, SIX_HOUR_QUERIES, THIRTY_DAY_QUERIES } from './queries.ts'
import type { ScenarioResult } from './results.ts'
import { diskBytes } from './server.ts'

const HOUR_MS = 3_600_000

export function measureSixHours(course: Course): Promise<ScenarioResult> {
  const endMs = pastMs()
  return inDirectory(async (dir) => {
    const loaded = await load(course, dir, fleetOf(course.scale.sixHourClusters), endMs, 6 * HOUR_MS)
    const { rest, costs } = await live(course, dir, async (server) => {
      await server.settle(course.scale.restMsMax)
      return { rest: server.cpuMs(), costs: await measureRanges(server, [...SIX_HOUR_QUERIES, ...KIND_QUERIES], endMs) }
    })
    return {
      figures: {
        ...costs.figures,
        perCpuSecond: (loaded.samples * 1000) / (loaded.cpuMs + rest),
        diskBytesPerSample: diskBytes(dir) / loaded.samples,
        diskBytesPerSampleNoLogs: diskBytes(dir, course.peer.logDirs) / loaded.samples,
        loadPeakBytes: loaded.peakBytes,
        loadSeconds: loaded.seconds,
      },
      answers: costs.answers,
      notes: [...loaded.notes, ...costs.notes],
    }
  })
}

export function measureHistory(course: Course): Promise<ScenarioResult> {
  const { historyClusters, historyDays, restMsMax } = course.scale
  const endMs = pastMs()
  const queries = THIRTY_DAY_QUERIES.map((query) => ({ ...query, rangeMs: historyDays * 24 * HOUR_MS }))
  return inDirectory(async (dir) => {
    const fleet = Array.from({ length: historyClusters }, (_, cluster) => historySeriesOf(cluster))
    const loaded = await load(course, dir, fleet, endMs, historyDays * 24 * HOUR_MS)
    const costs = await live(course, dir, async (server) => {
      await server.settle(restMsMax)
      return measureRanges(server, queries, endMs)
    })
    return {
      figures: {
        ...costs.figures,
        diskBytesPerSample: diskBytes(dir) / loaded.samples,
        loadPeakBytes: loaded.peakBytes,
        loadSeconds: loaded.seconds,
        loadCpuMs: loaded.cpuMs,
      },
      answers: costs.answers,
      notes: [...loaded.notes, ...costs.notes],
    }
  })
}

interface Loaded {
  readonly samples: number
  readonly cpuMs: number
  readonly peakBytes: number
  readonly seconds: number
  readonly notes: string[]
}

/** The first life: takes the past, comes to rest, ends in order. */
export function load(course: Course, dir: string, fleet: Fleet, endMs: number, rangeMs: number): Promise<Loaded> {
  return live(course, dir, async (server) => {
    const startMs = performance.now()
    const scrapes = rangeMs / SCRAPE_MS
    const { samples, putOff } = await sendPast(server, fleet, timesEndingAt(endMs, scrapes), scrapes)
    const isAtRest = await server.settle(course.scale.restMsMax)
    return {
      samples,
      cpuMs: server.cpuMs(),
      peakBytes: server.peakBytes(),
      seconds: (performance.now() - startMs) / 1000,
      notes: [
        ...(putOff > 0 ? [`${putOff} requests of the past were put off and sent again`] : []),
        ...(isAtRest ? [] : ['not at rest before the end of its first life']),
      ],
    }
  })
}
