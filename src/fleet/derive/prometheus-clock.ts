/**
 * The offset of the clock of a cluster's Prometheus. Objects and metrics report the same changes of ClusterServiceVersions, the
 * one by the cluster's clock, the other by that of Prometheus. A clock that is off by minutes would make two upgrades of one.
 */
import type { CsvFacts } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'

/** See `ObjectHistory`. */
interface Csv {
  readonly createdMs: number | undefined
  readonly states: readonly { readonly facts: CsvFacts }[]
}

/** A larger difference is not one change. */
const AHEAD_MS_MAX = 25 * 60_000
/** Smaller differences are matched as they are (upgrade-record.ts). */
const AHEAD_MS_MIN = 2 * 60_000
/** With a larger pause between two scrapes the offset is not known well enough. */
const PAUSE_MS_MAX = 10 * 60_000
/** Clocks are adjusted: an offset counts this long before and after its measurement. */
const MEASURED_WITHIN_MS = 12 * 60 * 60_000

interface Measurement {
  /** By the clock of Prometheus. */
  readonly atMs: number
  readonly aheadMs: number
}

/** The runs by the cluster's clock. @param runs sorted and joined */
export function byClusterClock(runs: readonly MetricRun[], csvs: readonly Csv[]): readonly MetricRun[] {
  const measured = measurements(runs, csvs)
  if (measured.every(({ aheadMs }) => aheadMs === 0)) return runs
  const clusterMs = (timeMs: number): number => timeMs - aheadAt(measured, timeMs)
  return runs.map((run) => {
    const { firstMs, lastMs, beforeMs, afterMs } = run
    const first = clusterMs(firstMs)
    // Where the offset ends, the order of times must stay.
    const last = Math.max(first, clusterMs(lastMs))
    return {
      ...run,
      ...{ firstMs: first, lastMs: last },
      ...(beforeMs !== undefined && { beforeMs: Math.min(first - 1, clusterMs(beforeMs)) }),
      ...(afterMs !== undefined && { afterMs: Math.max(last + 1, clusterMs(afterMs)) }),
    }
  })
}

function aheadAt(measured: readonly Measurement[], timeMs: number): number {
  let nearest: Measurement | undefined
  for (const one of measured) {
    const distanceMs = Math.abs(one.atMs - timeMs)
    if (distanceMs > MEASURED_WITHIN_MS) continue
    if (nearest === undefined || distanceMs < Math.abs(nearest.atMs - timeMs)) nearest = one
  }
  return nearest?.aheadMs ?? 0
}

/** By each change of a CSV that both report. */
function measurements(runs: readonly MetricRun[], csvs: readonly Csv[]): readonly Measurement[] {
  const known = new Set<string>()
  const measured: Measurement[] = []
  for (const { signal, labels, value, firstMs, beforeMs } of runs) {
    if (signal !== 'csv_succeeded') continue
    const version = labels['version'] ?? ''
    const isFirst = !known.has(version)
    known.add(version)
    if (beforeMs === undefined || firstMs - beforeMs > PAUSE_MS_MAX || (value !== 1 && !isFirst)) continue
    const changesMs = csvs.flatMap((csv) => changesOf(csv, version, value === 1))
    // The change was after the previous scrape and not later than this one.
    const aheadMs = smallest(changesMs.map((changeMs) => (firstMs + beforeMs) / 2 - changeMs))
    if (aheadMs === undefined || Math.abs(aheadMs) > AHEAD_MS_MAX) continue
    const isRight = Math.abs(aheadMs) <= AHEAD_MS_MIN + (firstMs - beforeMs) / 2
    measured.push({ atMs: firstMs, aheadMs: isRight ? 0 : Math.round(aheadMs) })
  }
  return measured
}

/** When the CSV of a version succeeded, or else was created. */
function changesOf({ createdMs, states }: Csv, version: string, isSuccess: boolean): readonly number[] {
  if (!states.some(({ facts }) => facts.version === version)) return []
  if (!isSuccess) return createdMs === undefined ? [] : [createdMs]
  const succeeded = states.flatMap(({ facts }) => {
    const steps = [...facts.history, facts].filter(({ phase }) => phase === 'Succeeded')
    return steps.flatMap(({ lastTransitionMs }) => lastTransitionMs ?? [])
  })
  return [...new Set(succeeded)]
}

function smallest(differencesMs: readonly number[]): number | undefined {
  return differencesMs.reduce<number | undefined>(
    (least, ms) => (least === undefined || Math.abs(ms) < Math.abs(least) ? ms : least),
    undefined,
  )
}
