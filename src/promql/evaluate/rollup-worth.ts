import type { RunSelection, SelectRequest } from '../../model/queryable.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { RunColumns } from '../../model/run-columns.ts'
import type { Evaluation } from './evaluation.ts'

/**
 * Decides whether samples are read rather than rollups. A state that changes once a week is two runs, and as many
 * buckets as there are hours: over 30 days, 2,000 such series cost ten times as much from buckets. The decision samples
 * some series and is cached with the rows.
 */

/** Neighbours, because they share packs. */
const ROWS_LOOKED_AT = 8

/** Runs per millisecond in the rows of a lineage. */
const known = new WeakMap<object, number>()
const probe = new RunColumns()

export function areRunsCheaper(request: Omit<SelectRequest, 'hint'>, widthMs: number, evaluation: Evaluation): boolean {
  if (evaluation.rollupRunsMin <= 0) return false
  const selection = evaluation.queryable.selectRuns?.(request)
  if (selection === undefined || selection.rows.length === 0) return false
  const runsPerMs = runsPerMsOf(selection, request)
  const isCheaper = runsPerMs * widthMs < evaluation.rollupRunsMin
  if (isCheaper) {
    const runs = (runsPerMs * widthMs).toPrecision(2)
    const reason = `runs are cheaper: about ${runs} a bucket, rollups are read from ${evaluation.rollupRunsMin} on`
    evaluation.explainer?.leave(request.matchers, reason)
  }
  return isCheaper
}

/**
 * The estimated number of runs of a row per millisecond, from some rows in the middle, of which there is at least one.
 */
export function runsPerMsOf(selection: RunSelection, { fromMs, toMs }: TimeRange): number {
  const { lineage, length } = selection.rows
  const remembered = known.get(lineage)
  if (remembered !== undefined) return remembered
  const from = Math.floor(length / 2)
  const to = Math.min(length, from + ROWS_LOOKED_AT)
  selection.readRuns(from, to, probe)
  const runsPerMs = probe.count / (to - from) / (toMs - fromMs)
  known.set(lineage, runsPerMs)
  return runsPerMs
}
