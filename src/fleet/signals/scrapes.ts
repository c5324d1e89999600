/**
 * When a group of series was scraped, and which values its series had: from stored samples towards runs of a signal. Runs of
 * evenly spaced samples stay runs, so a month of a constant series is one step.
 */

import { firstIndexWhere } from '../../base/first-index.ts'
import type { ScrapeRun } from '../../model/signal-samples.ts'

/** A stretch of one value without a gap of `MISSED_MS`. */
export interface Stretch {
  readonly value: number
  readonly firstMs: number
  lastMs: number
  staleMs?: number
}

/** A series that is missing in scrapes for this long is gone, also without a stale marker: PromQL's lookback. */
export const MISSED_MS = 5 * 60_000

/** All times at which any series of a group has a sample. */
export class Instants {
  readonly #rows: readonly (readonly ScrapeRun[])[]

  /** @param rows each in order of time, without overlaps */
  constructor(rows: readonly (readonly ScrapeRun[])[]) {
    this.#rows = rows.map((runs) => runs.filter(({ isStale }) => !isStale)).filter((runs) => runs.length > 0)
  }

  /** The first at or after a time. */
  from(timeMs: number): number | undefined {
    let best = Infinity
    for (const runs of this.#rows) {
      const at = lastStarting(runs, timeMs)
      const inside = at < 0 ? undefined : firstFrom(runs[at]!, timeMs)
      best = Math.min(best, inside ?? runs[at + 1]?.firstMs ?? Infinity)
    }
    return best === Infinity ? undefined : best
  }

  after(timeMs: number): number | undefined {
    return this.from(timeMs + 1)
  }

  /** The last at or before a time. */
  upTo(timeMs: number): number | undefined {
    let best = -Infinity
    for (const runs of this.#rows) best = Math.max(best, lastUpTo(runs, timeMs) ?? -Infinity)
    return best === -Infinity ? undefined : best
  }

  before(timeMs: number): number | undefined {
    return this.upTo(timeMs - 1)
  }
}

/** The last sample of a series at or before a time. */
export function lastUpTo(runs: readonly ScrapeRun[], timeMs: number): number | undefined {
  const at = lastStarting(runs, timeMs)
  if (at < 0) return undefined
  const { firstMs, stepMs, count } = runs[at]!
  return count === 1 ? firstMs : firstMs + stepMs * Math.min(count - 1, Math.floor((timeMs - firstMs) / stepMs))
}

/** The first sample of a run that begins at or before a time, at or after that time. */
function firstFrom({ firstMs, stepMs, count }: ScrapeRun, timeMs: number): number | undefined {
  if (firstMs >= timeMs) return firstMs
  if (count === 1) return undefined
  const nth = Math.ceil((timeMs - firstMs) / stepMs)
  return nth < count ? firstMs + stepMs * nth : undefined
}

/** The place of the last run that begins at or before a time, or -1. */
function lastStarting(runs: readonly ScrapeRun[], timeMs: number): number {
  return firstIndexWhere(runs, ({ firstMs }) => firstMs > timeMs) - 1
}

export function stretchesOf(runs: readonly ScrapeRun[]): Stretch[] {
  const stretches: Stretch[] = []
  let last: Stretch | undefined
  const add = (firstMs: number, lastMs: number, value: number): void => {
    const goesOn = last !== undefined && last.staleMs === undefined && last.value === value
    if (goesOn && firstMs - last!.lastMs <= MISSED_MS) last!.lastMs = lastMs
    else stretches.push((last = { value, firstMs, lastMs }))
  }
  for (const { firstMs, stepMs, count, value, isStale } of runs) {
    if (isStale) {
      if (last !== undefined) last.staleMs ??= firstMs
    } else if (count === 1 || stepMs <= MISSED_MS) {
      add(firstMs, firstMs + (count === 1 ? 0 : stepMs * (count - 1)), value)
    } else {
      for (let i = 0; i < count; i++) add(firstMs + stepMs * i, firstMs + stepMs * i, value)
    }
  }
  return stretches
}

/**
 * Merges the series of several Prometheus replicas into one: the newest sample counts, and the series ends when all have
 * ended.
 */
export function mergeReplicas(replicas: readonly (readonly ScrapeRun[])[]): readonly ScrapeRun[] {
  if (replicas.length === 1) return replicas[0]!
  const samples = replicas.flatMap((runs, replica) =>
    runs.flatMap(({ firstMs, stepMs, count, value, isStale }) =>
      Array.from({ length: count }, (_, i) => ({
        timeMs: i === 0 ? firstMs : firstMs + stepMs * i,
        value,
        isStale,
        replica,
      })),
    ),
  )
  // Stale markers sort after the samples of their time: another replica may continue there.
  samples.sort((a, b) => a.timeMs - b.timeMs || Number(a.isStale) - Number(b.isStale) || a.replica - b.replica)
  const live = new Set<number>()
  const merged: ScrapeRun[] = []
  for (const { timeMs, value, isStale, replica } of samples) {
    if (isStale) live.delete(replica)
    else live.add(replica)
    if ((isStale && live.size > 0) || merged.at(-1)?.firstMs === timeMs) continue
    merged.push({ firstMs: timeMs, stepMs: 0, count: 1, value, isStale })
  }
  return merged
}
