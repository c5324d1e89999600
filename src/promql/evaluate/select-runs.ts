import { PickedRows } from '../../model/label-rows.ts'
import type { RunSelection } from '../../model/queryable.ts'
import type { RunColumns } from '../../model/run-columns.ts'
import { bitsOf, isStaleAt } from '../../model/sample.ts'
import type { Evaluation } from './evaluation.ts'
import type { Steps } from './steps.ts'
import type { Grid } from './grid.ts'
import { eachBlock, GridFiller } from './run-blocks.ts'

/** The result of an instant selector: the value of its sample or its time. */
export type Wants = 'values' | 'timestamps'

/** An instant selector at one time, the same for all steps: the newest sample of each series. */
export function newestGrid(
  selection: RunSelection,
  steps: number,
  isOneName: boolean,
  wants: Wants,
  evaluation: Evaluation,
): Grid {
  const { rows } = selection
  const timesMs = new Float64Array(rows.length)
  const values = new Float64Array(rows.length)
  const { explainer } = evaluation
  const startedMs = explainer?.beginPortion() ?? 0
  selection.readNewest(timesMs, values)
  const present = new Uint8Array(rows.length)
  const bits = bitsOf(values)
  let found = 0
  let kept = 0
  // HOT: once per series of a rule.
  for (let row = 0; row < values.length; row++) {
    const timeMs = timesMs[row]!
    if (timeMs !== timeMs) continue
    found++
    const value = values[row]!
    if (value !== value && isStaleAt(bits, row)) continue
    if (wants === 'timestamps') values[row] = timeMs / 1000
    present[row] = 1
    kept++
  }
  explainer?.recordNewest(selection, found, startedMs)
  evaluation.budget.takeSamples(found, found)
  evaluation.budget.takeCells(kept, steps)
  if (steps === 1 && kept * 4 >= rows.length * 3) {
    return { steps, labels: rows, isNameless: false, isOneName, values, present }
  }
  return widened(rows, values, present, kept, steps, isOneName)
}

/** Only the present rows, each with its value at all steps. */
function widened(
  rows: RunSelection['rows'],
  values: Float64Array,
  present: Uint8Array,
  kept: number,
  steps: number,
  isOneName: boolean,
): Grid {
  const places = new Uint32Array(kept)
  const wide = new Float64Array(kept * steps)
  let at = 0
  for (let row = 0; row < values.length; row++) {
    if (present[row] === 0) continue
    wide.fill(values[row]!, at * steps, (at + 1) * steps)
    places[at++] = row
  }
  const labels = new PickedRows(rows, places)
  return { steps, labels, isNameless: false, isOneName, values: wide, present: new Uint8Array(wide.length).fill(1) }
}

/** An instant selector at many times. `firstMs`: the selector's time for the first step. */
export async function steppedGrid(
  selection: RunSelection,
  firstMs: number,
  steps: Steps,
  isOneName: boolean,
  wants: Wants,
  evaluation: Evaluation,
): Promise<Grid> {
  const filler = new GridFiller(selection.rows, steps.count, evaluation)
  const spanMs = steps.stepMs * (steps.count - 1) + evaluation.lookbackMs
  await eachBlock(selection, spanMs, steps.count, evaluation, (firstRow, runs) => {
    filler.reserve(runs.rows)
    const bits = runs.bits
    for (let row = 0; row < runs.rows; row++) {
      const from = row === 0 ? 0 : runs.ends[row - 1]!
      const to = runs.ends[row]!
      if (to === from) continue
      const cell = filler.add(firstRow + row)
      fillSteps(runs, bits, from, to, cell, firstMs, steps, evaluation.lookbackMs, wants, filler)
    }
  })
  return filler.finish(isOneName)
}

/** A run that is visible at fewer steps is written without a call. */
const FILLED_STEPS_MIN = 16

/**
 * HOT: once per run. A run is visible at the steps from its first sample on until the next run starts, or until its
 * last sample is older than the lookback: one value for a range of steps, when its samples are no further apart than
 * the lookback.
 */
function fillSteps(
  { startsMs, deltasMs, counts, values }: RunColumns,
  bits: Uint32Array,
  from: number,
  to: number,
  cell: number,
  firstMs: number,
  { stepMs, count: stepCount }: Steps,
  lookbackMs: number,
  wants: Wants,
  grid: GridFiller,
): void {
  const { values: shown, present } = grid
  const lastStepMs = firstMs + stepMs * (stepCount - 1)
  let nextStep = 0
  for (let run = from; run < to; run++) {
    const startMs = startsMs[run]!
    const untilMs = run + 1 < to ? startsMs[run + 1]! : Infinity
    if (startMs > lastStepMs) return
    // Skips runs that no step sees, which are most of them when the step is long.
    const seenFrom = startMs <= firstMs ? 0 : Math.ceil((startMs - firstMs) / stepMs)
    if (seenFrom > nextStep) nextStep = seenFrom
    if (firstMs + nextStep * stepMs >= untilMs) continue
    const value = values[run]!
    if (value !== value && isStaleAt(bits, run)) continue
    const deltaMs = deltasMs[run]!
    const count = counts[run]!
    const lastMs = count === 1 ? startMs : startMs + deltaMs * (count - 1)
    const goneMs = Math.min(untilMs, lastMs + lookbackMs)
    const end = goneMs > lastStepMs ? stepCount : Math.ceil((goneMs - firstMs) / stepMs)
    if (wants === 'values' && (count === 1 || deltaMs <= lookbackMs)) {
      if (end <= nextStep) continue
      if (end - nextStep < FILLED_STEPS_MIN) {
        for (; nextStep < end; nextStep++) {
          shown[cell + nextStep] = value
          present[cell + nextStep] = 1
        }
        continue
      }
      shown.fill(value, cell + nextStep, cell + end)
      present.fill(1, cell + nextStep, cell + end)
      nextStep = end
      continue
    }
    for (; nextStep < end; nextStep++) {
      const atMs = firstMs + nextStep * stepMs
      const nth = count === 1 ? 0 : Math.min(count - 1, Math.floor((atMs - startMs) / deltaMs))
      const timeMs = startMs + (count === 1 ? 0 : deltaMs * nth)
      if (timeMs <= atMs - lookbackMs) continue
      shown[cell + nextStep] = wants === 'values' ? value : timeMs / 1000
      present[cell + nextStep] = 1
    }
  }
}
