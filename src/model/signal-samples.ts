/** Samples of the series that signals are read from: what metric runs are a function of. */
import type { MetricSignal } from './observation.ts'

/** Evenly spaced samples of one value. */
export interface ScrapeRun {
  readonly firstMs: number
  /** Undefined in a run of one sample. */
  readonly stepMs: number
  readonly count: number
  /** Undefined when `isStale`. */
  readonly value: number
  /** A stale marker: the series ends here. */
  readonly isStale: boolean
}

export interface SignalSeries {
  readonly signal: MetricSignal
  readonly labels: Readonly<Record<string, string>>
  readonly combine: 'max' | 'count'
  /** Equal for the series of one target from several Prometheus replicas. */
  readonly identity: string
  /** In order, without overlaps. */
  readonly runs: readonly ScrapeRun[]
  /** Until then it was scraped with its last value, by samples that are not in `runs` yet; absent: until its last sample. */
  readonly aliveUntilMs?: number
}

/** A series that may be sent to several collectors, a part to each. */
export interface CollectedSeries extends SignalSeries {
  /** Distinguishes it from all others of its cluster. */
  readonly series: string
}

/** All samples of a group of a cluster, in one collector, from a moment on: in place of those that were read before. */
export interface SampledGroup {
  readonly cluster: string
  readonly group: string
  readonly fromMs: number
  readonly series: readonly CollectedSeries[]
}

/** The samples of one series of which each list has a part: each time once, in order, without overlaps. */
export function unionOfRuns(lists: readonly (readonly ScrapeRun[])[]): readonly ScrapeRun[] {
  const all = lists.flat().sort((a, b) => a.firstMs - b.firstMs)
  const union: ScrapeRun[] = []
  for (let i = 0; i < all.length;) {
    let endMs = lastMsOf(all[i]!)
    let next = i + 1
    for (; next < all.length && all[next]!.firstMs <= endMs; next++) endMs = Math.max(endMs, lastMsOf(all[next]!))
    const overlapping = next === i + 1 ? [all[i]!] : samplesOf(all.slice(i, next))
    for (const run of overlapping) append(union, run)
    i = next
  }
  return union
}

/** The samples from a time on. */
export function runsFrom(runs: readonly ScrapeRun[], fromMs: number): readonly ScrapeRun[] {
  return runs.flatMap((run) => {
    if (run.firstMs >= fromMs) return [run]
    const skipped = run.count === 1 ? 1 : Math.ceil((fromMs - run.firstMs) / run.stepMs)
    return skipped >= run.count ? [] : [part(run, skipped, run.count - skipped)]
  })
}

/** The samples before a time. */
export function runsBefore(runs: readonly ScrapeRun[], untilMs: number): readonly ScrapeRun[] {
  return runs.flatMap((run) => {
    if (run.firstMs >= untilMs) return []
    const count = run.count === 1 ? 1 : Math.min(run.count, Math.ceil((untilMs - run.firstMs) / run.stepMs))
    return [part(run, 0, count)]
  })
}

export function lastMsOf({ firstMs, stepMs, count }: ScrapeRun): number {
  return count === 1 ? firstMs : firstMs + stepMs * (count - 1)
}

function part(run: ScrapeRun, skipped: number, count: number): ScrapeRun {
  if (count === run.count) return run
  const firstMs = skipped === 0 ? run.firstMs : run.firstMs + run.stepMs * skipped
  return { ...run, firstMs, stepMs: count === 1 ? 0 : run.stepMs, count }
}

/** One by one; of two at one time the first. */
function samplesOf(runs: readonly ScrapeRun[]): ScrapeRun[] {
  const samples = runs.flatMap((run) => Array.from({ length: run.count }, (_, i) => part(run, i, 1)))
  return samples.sort((a, b) => a.firstMs - b.firstMs).filter(({ firstMs }, i, all) => all[i - 1]?.firstMs !== firstMs)
}

/** Adds a run to the end, as a part of the last one if it continues that. */
function append(runs: ScrapeRun[], run: ScrapeRun): void {
  const last = runs.at(-1)
  const isSame = last !== undefined && last.isStale === run.isStale && (run.isStale || last.value === run.value)
  const gapMs = isSame ? run.firstMs - lastMsOf(last) : 0
  const isEven = isSame && (last.count === 1 || last.stepMs === gapMs) && (run.count === 1 || run.stepMs === gapMs)
  if (isEven) runs[runs.length - 1] = { ...last, stepMs: gapMs, count: last.count + run.count }
  else runs.push(run)
}
