/** The current run of each series of a signal, now or at a past moment: a search in each series, not a walk over all runs. */
import { firstIndexWhere } from '../../base/first-index.ts'
import { groupBy } from '../../base/group-by.ts'
import type { MetricRun } from '../../model/observation.ts'
import { labelsText } from '../run-series.ts'

/** Of the runs of a signal, which do not change: by series, in the order of their first runs. */
const seriesOfRuns = new WeakMap<readonly MetricRun[], readonly (readonly MetricRun[])[]>()

/**
 * The newest run of each series at a moment, where it was current then, as it was known then.
 * @param runs of one signal, earliest first
 */
export function currentRuns(runs: readonly MetricRun[], atMs = Infinity): readonly MetricRun[] {
  return seriesOf(runs).flatMap((ofSeries) => {
    const run = ofSeries[firstIndexWhere(ofSeries, ({ firstMs }) => firstMs > atMs) - 1]
    return run === undefined ? [] : runAt(run, atMs).filter(({ afterMs }) => afterMs === undefined)
  })
}

/** In the order of their first runs. */
export function seriesOf(runs: readonly MetricRun[]): readonly (readonly MetricRun[])[] {
  let series = seriesOfRuns.get(runs)
  if (series === undefined) {
    series = [...groupBy(runs, ({ labels }) => labelsText(labels)).values()]
    seriesOfRuns.set(runs, series)
  }
  return series
}

/** What is known of a run at a moment: one that ended later was current. */
export function runAt(run: MetricRun, atMs: number): readonly MetricRun[] {
  const { afterMs, ...open } = run
  if (run.firstMs > atMs) return []
  return afterMs === undefined || afterMs <= atMs ? [run] : [{ ...open, lastMs: Math.min(run.lastMs, atMs) }]
}
