import { BUCKET_ENDS_STALE, type RollupColumns, type RollupParts, type RollupSelection } from '../../model/rollup.ts'
import type { VectorSelector } from '../ast.ts'
import { EDGES } from './bucket-window.ts'
import type { Evaluation } from './evaluation.ts'
import { lastStepMs, type Steps } from './steps.ts'
import type { Grid } from './grid.ts'
import { areRunsCheaper } from './rollup-worth.ts'
import { GridFiller } from './run-blocks.ts'
import type { Wants } from './select-runs.ts'

/**
 * Decides when rollups are requested instead of samples: when every window of a range function starts and ends with a
 * bucket, or every step of an instant selector ends with one.
 */

/** Rows of one portion. */
export const ROLLUP_ROWS = 1024

interface Looks {
  /** The selector's time for the first step; the others follow it. */
  readonly firstMs: number
  readonly steps: Steps
  /** Width of the windows; undefined for an instant selector, whose windows may start anywhere. */
  readonly rangeMs: number | undefined
  readonly parts: RollupParts
}

/** A selector's matchers and its place in the query. */
type Selector = Pick<VectorSelector, 'matchers' | 'from' | 'to'>

/** The rollups of windows; undefined: there are none, or the windows do not fit them. */
export function selectRollup(
  selector: Selector,
  { firstMs, steps, rangeMs, parts }: Looks,
  evaluation: Evaluation,
): RollupSelection | undefined {
  const { matchers } = selector
  const { queryable, budget, lookbackMs, explainer } = evaluation
  if (queryable.selectRollup === undefined) {
    explainer?.leave(matchers, 'the store has no rollups')
    return undefined
  }
  let alignMs = Math.abs(firstMs)
  if (steps.count > 1) alignMs = divisorOf(alignMs, steps.stepMs)
  if (rangeMs !== undefined) alignMs = divisorOf(alignMs, rangeMs)
  if (!(alignMs >= 1)) {
    explainer?.leave(matchers, NO_BUCKET_FITS)
    return undefined
  }
  budget.check()
  const fromMs = Math.floor((firstMs - (rangeMs ?? lookbackMs)) / alignMs) * alignMs
  const toMs = firstMs + lastStepMs(steps) - steps.startMs
  const bucketsMax = budget.samplesLeft
  const notes = explainer?.beginRead(matchers, 'rollups', fromMs, toMs)
  const tally = notes === undefined ? {} : { tally: notes.tally }
  const work = budget.regexWork
  const missing = evaluation.annotations.missingIn(selector)
  const request = { matchers, fromMs, toMs, alignMs, bucketsMax, parts, work, missing, ...tally }
  const selection = queryable.selectRollup(request)
  if (selection === undefined) {
    explainer?.leave(matchers, `${NO_BUCKET_FITS}, or no bucket is stored for this range`)
    return undefined
  }
  explainer?.attach(selection, notes)
  if (!selection.hasSamples) return selection
  const samples = { matchers, fromMs, toMs, maxSamples: bucketsMax, work }
  return areRunsCheaper(samples, selection.widthMs, evaluation) ? undefined : selection
}

/** Why no rollups are read; shown in explanations. */
const NO_BUCKET_FITS = 'windows and steps are not aligned with rollup buckets'

/** An instant selector over rollups; undefined: samples have to be read. */
export async function steppedOverRollups(
  selector: VectorSelector,
  firstMs: number,
  steps: Steps,
  isOneName: boolean,
  wants: Wants,
  evaluation: Evaluation,
): Promise<Grid | undefined> {
  const selection = selectRollup(selector, { firstMs, steps, rangeMs: undefined, parts: EDGES }, evaluation)
  if (selection === undefined) return undefined
  const { rows, widthMs } = selection
  const filler = new GridFiller(rows, steps.count, evaluation)
  for (let from = 0; from < rows.length; from += ROLLUP_ROWS) {
    const to = Math.min(rows.length, from + ROLLUP_ROWS)
    filler.reserve(to - from)
    let buckets = 0
    let found = 0
    selection.readBuckets(from, to, (row, columns) => {
      found++
      buckets += columns.count
      fillSteps(columns, widthMs, filler.add(row), firstMs, steps, evaluation.lookbackMs, wants, filler)
    })
    evaluation.explainer?.recordBuckets(selection, found, buckets)
    evaluation.budget.takeSamples(found, buckets)
    await evaluation.budget.yieldThread()
  }
  return filler.finish(isOneName)
}

/** HOT. The newest sample at each step is the last one of the newest bucket. */
function fillSteps(
  { numbers, flags, lasts, lastsMs, count }: RollupColumns,
  widthMs: number,
  cell: number,
  firstMs: number,
  { stepMs, count: stepCount }: Steps,
  lookbackMs: number,
  wants: Wants,
  { values, present }: GridFiller,
): void {
  let i = -1
  for (let s = 0; s < stepCount; s++) {
    const atMs = firstMs + s * stepMs
    const endNumber = atMs / widthMs
    while (i + 1 < count && numbers[i + 1]! < endNumber) i++
    // A stale marker hides earlier samples; so does a sample older than the lookback.
    if (i < 0 || (flags[i]! & BUCKET_ENDS_STALE) !== 0 || lastsMs[i]! <= atMs - lookbackMs) continue
    values[cell + s] = wants === 'values' ? lasts[i]! : lastsMs[i]! / 1000
    present[cell + s] = 1
  }
}

/** The greatest common divisor of two integers; 0 for other numbers. */
function divisorOf(a: number, b: number): number {
  let [greater, less] = [a, b]
  while (less >= 1) [greater, less] = [less, greater % less]
  return less === 0 ? greater : 0
}
