/** Joins the runs of metrics, independent of the pieces in which they arrived. */
import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { groupBy } from '../../base/group-by.ts'
import { runSeriesKey } from '../run-series.ts'

/**
 * Gauges of an operator's own view. While the operator restarts they are missing, which is no change: a value continues
 * until the next one is scraped.
 */
const BRIDGED: ReadonlySet<MetricSignal> = new Set([
  'hco_health',
  'unsafe_modifications',
  'operand_ready',
  'outdated_vmis',
])

/** Sorted by signal, start and labels; runs of one series with one value and no scrape between them are joined. */
export function joinRuns(runs: readonly MetricRun[]): readonly MetricRun[] {
  const bySeries = groupBy(runs, runSeriesKey)
  const joined = [...bySeries].flatMap(([key, ofSeries]) => {
    const byValue = groupBy(ofSeries, ({ value }) => value)
    const own = [...byValue.values()].flatMap(joinPieces)
    const bridged = BRIDGED.has(ofSeries[0]!.signal) ? bridgeGaps(own) : own
    return bridged.map((run) => ({ series: `${key} ${run.value}`, run }))
  })
  joined.sort((a, b) => a.run.firstMs - b.run.firstMs || (a.series < b.series ? -1 : a.series > b.series ? 1 : 0))
  return joined.map(({ run }) => run)
}

function bridgeGaps(runs: readonly MetricRun[]): readonly MetricRun[] {
  const bridged: MetricRun[] = []
  for (const run of runs.toSorted((a, b) => a.firstMs - b.firstMs || a.value - b.value)) {
    const last = bridged.at(-1)
    if (last?.afterMs === undefined || last.afterMs >= run.firstMs) bridged.push(run)
    else if (last.value === run.value) bridged[bridged.length - 1] = join(last, run)
    else {
      bridged[bridged.length - 1] = { ...last, afterMs: run.firstMs }
      bridged.push({ ...run, beforeMs: last.lastMs })
    }
  }
  return bridged
}

function joinPieces(pieces: readonly MetricRun[]): readonly MetricRun[] {
  const sorted = pieces.toSorted((a, b) => a.firstMs - b.firstMs || b.lastMs - a.lastMs)
  const joined: MetricRun[] = []
  for (const piece of sorted) {
    const last = joined.at(-1)
    if (last === undefined || !touches(last, piece)) joined.push(piece)
    else joined[joined.length - 1] = join(last, piece)
  }
  return joined
}

function touches(earlier: MetricRun, later: MetricRun): boolean {
  return later.firstMs <= earlier.lastMs || (later.beforeMs !== undefined && later.beforeMs <= earlier.lastMs)
}

function join(earlier: MetricRun, later: MetricRun): MetricRun {
  const { cluster, signal, labels, value, firstMs, beforeMs } = earlier
  const lastMs = Math.max(earlier.lastMs, later.lastMs)
  // A run does not end before a sample with the same value.
  const afters = [earlier.afterMs, later.afterMs].filter((ms) => ms !== undefined && ms > lastMs)
  const base = { cluster, signal, labels, value, firstMs, lastMs }
  // A piece with a previous scrape knows more of the start.
  const starts = [beforeMs, ...(later.firstMs === firstMs ? [later.beforeMs] : [])].filter((ms) => ms !== undefined)
  return {
    ...base,
    ...(starts.length > 0 && { beforeMs: Math.max(...starts) }),
    ...(afters.length > 0 && { afterMs: Math.min(...(afters as number[])) }),
  }
}

/**
 * When a run ended: at its last scrape; a run that is current did not. `lastMs` of a current run is up to an hour old
 * (`../signals/signal-runs.ts`), so it only shows for how long the run lasted at least.
 */
export function endOfRun({ lastMs, afterMs }: MetricRun): number {
  return afterMs === undefined ? Infinity : lastMs
}
