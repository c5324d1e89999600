import type { RunSelection } from '../../model/queryable.ts'
import type { RunColumns } from '../../model/run-columns.ts'
import { isStaleAt } from '../../model/sample.ts'
import type { Expr } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import type { Steps } from './steps.ts'
import type { Grid } from './grid.ts'
import { eachBlock, GridFiller } from './run-blocks.ts'
import { runSlideOf, slideOverRuns } from './slide-runs.ts'
import { slideOverSamples, type WindowKernel } from './window.ts'

/** The function to compute for each window. */
export interface RangeFunction {
  readonly name: string
  /** Over samples: for functions without a kernel over runs. */
  readonly kernel: WindowKernel
  /** The scalar argument by step. */
  readonly params: Float64Array | undefined
  /** Position of Prometheus' annotation about ignored histograms; absent: the range vector. */
  readonly firstArg?: Expr
}

/** Samples of one series, reused. */
let timesMs = new Float64Array(1024)
let samples = new Float64Array(1024)

/** A range function over series as runs, portion by portion. `endsMs`: the end of the window of each step. */
export async function gridOverRuns(
  { name, kernel, params }: RangeFunction,
  selection: RunSelection,
  rangeMs: number,
  endsMs: Float64Array,
  steps: Steps,
  isOneName: boolean,
  evaluation: Evaluation,
): Promise<Grid> {
  const filler = new GridFiller(selection.rows, steps.count, evaluation)
  const slide = runSlideOf(name, rangeMs, endsMs)
  if (slide === undefined) evaluation.explainer?.expand(selection, name)
  const spanMs = rangeMs + steps.stepMs * (steps.count - 1)
  await eachBlock(selection, spanMs, steps.count, evaluation, (firstRow, runs) => {
    filler.reserve(runs.rows)
    let from = 0
    for (let row = 0; row < runs.rows; row++) {
      const end = runs.ends[row]!
      const to = withoutStale(runs, from, end)
      if (to > from) {
        const cell = filler.add(firstRow + row)
        const { values, present } = filler
        if (slide !== undefined) slideOverRuns(slide, runs, from, to, cell, values, present)
        else {
          const count = expand(runs, from, to, evaluation)
          slideOverSamples(kernel, timesMs, samples, count, endsMs, rangeMs, steps, params, cell, values, present)
        }
        if ((row & 15) === 15) evaluation.budget.check()
      }
      from = end
    }
  })
  return filler.finish(isOneName)
}

/** HOT. Compacts the runs `[from, end)` of a row over stale markers; returns their new end. */
function withoutStale(runs: RunColumns, from: number, end: number): number {
  const { values } = runs
  let first = from
  while (first < end && values[first] === values[first]) first++
  if (first === end) return end
  const { startsMs, deltasMs, counts, words, bits } = runs
  let kept = first
  for (let run = first; run < end; run++) {
    if (isStaleAt(bits, run)) continue
    startsMs[kept] = startsMs[run]!
    deltasMs[kept] = deltasMs[run]!
    counts[kept] = counts[run]!
    words[kept * 2] = words[run * 2]!
    words[kept * 2 + 1] = words[run * 2 + 1]!
    kept++
  }
  return kept
}

/** HOT. Expands a row into `timesMs` and `samples`, which count against the query's limit. */
function expand(runs: RunColumns, from: number, to: number, { budget }: Evaluation): number {
  const { startsMs, deltasMs, counts, values } = runs
  let count = 0
  for (let run = from; run < to; run++) count += counts[run]!
  budget.takeSamples(0, count - (to - from))
  if (count > samples.length) {
    timesMs = new Float64Array(count * 2)
    samples = new Float64Array(count * 2)
  }
  let at = 0
  for (let run = from; run < to; run++) {
    const startMs = startsMs[run]!
    const deltaMs = deltasMs[run]!
    const value = values[run]!
    for (let i = 0; i < counts[run]!; i++) {
      timesMs[at] = startMs + deltaMs * i
      samples[at++] = value
    }
  }
  return count
}
