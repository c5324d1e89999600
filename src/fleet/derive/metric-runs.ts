/** Runs of one signal in a fixed order, each once, whatever order and how often they were handed over. */
import type { ClusterObservations, MetricRun, MetricSignal } from '../../model/observation.ts'
import { compareTexts } from './object-histories.ts'

/** Oldest first; at a tie by labels and value. */
export function runsOf(observations: ClusterObservations, signal: MetricSignal): readonly MetricRun[] {
  const byKey = new Map<string, MetricRun>()
  for (const run of observations.metrics) {
    if (run.signal !== signal) continue
    byKey.set(`${seriesKey(run)}\n${run.firstMs}\n${run.lastMs}\n${run.value}`, run)
  }
  return [...byKey]
    .sort(([aKey, a], [bKey, b]) => a.firstMs - b.firstMs || a.lastMs - b.lastMs || compareTexts(aKey, bKey))
    .map(([, run]) => run)
}

/** What makes a series one, within a signal. */
export function seriesKey({ labels }: MetricRun): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => compareTexts(a, b)))
}

/** How exact the start of a run is: the gap between the two scrapes around it, in seconds. */
export function resolutionOf({ beforeMs, firstMs }: MetricRun): number {
  return beforeMs === undefined ? 0 : Math.max(1, Math.round((firstMs - beforeMs) / 1000))
}

/** The runs that still hold at the end of what is known; of one series only the newest. */
export function presentRuns(observations: ClusterObservations, signal: MetricSignal): readonly MetricRun[] {
  const newest = new Map<string, MetricRun>()
  for (const run of runsOf(observations, signal)) newest.set(seriesKey(run), run)
  return [...newest.values()].filter((run) => run.afterMs === undefined)
}
