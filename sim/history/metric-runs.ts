import type { MetricRun } from '../../src/model/observation.ts'
import { lowerBound } from './bounds.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { scrapeTimes } from './scrapes.ts'
import { signalSeries } from './signals.ts'
import type { SignalSeries } from './signal-series.ts'

/** What a reader of the stored samples finds: each series' stretches of one value, scrape by scrape. */
export function metricRuns(history: ClusterHistory): readonly MetricRun[] {
  const scrapes = scrapeTimes(history)
  return signalSeries(history).flatMap((series) => runsOf(history.profile.name, series, scrapes))
}

function runsOf(cluster: string, series: SignalSeries, scrapes: readonly number[]): readonly MetricRun[] {
  const { signal, labels } = series
  const runs: MetricRun[] = []
  const edges = [...new Set([-Infinity, ...series.momentsMs, Infinity])].sort((a, b) => a - b)
  let open: { value: number; first: number; last: number } | undefined
  const close = (): void => {
    if (open === undefined) return
    const { value, first, last } = open
    const [beforeMs, afterMs] = [scrapes[first - 1], scrapes[last + 1]]
    runs.push({
      ...{ cluster, signal, labels, value, firstMs: scrapes[first]!, lastMs: scrapes[last]! },
      ...(beforeMs === undefined ? {} : { beforeMs }),
      ...(afterMs === undefined ? {} : { afterMs }),
    })
    open = undefined
  }
  for (let i = 0; i + 1 < edges.length; i++) {
    const first = lowerBound(scrapes, edges[i]!)
    const last = lowerBound(scrapes, edges[i + 1]!) - 1
    if (last < first) continue
    const value = series.valueAt(scrapes[first]!)
    if (open !== undefined && open.value === value) {
      open.last = last
      continue
    }
    close()
    if (value !== undefined) open = { value, first, last }
  }
  close()
  return runs
}
