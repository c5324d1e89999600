import { ownValue } from '../../base/own-value.ts'
import { PickedRows, type LabelRows } from '../../model/label-rows.ts'
import type { RunSelection } from '../../model/queryable.ts'
import { RunColumns } from '../../model/run-columns.ts'
import type { VectorSelector } from '../ast.ts'
import { BUCKET_KERNELS, slideOverBuckets } from './bucket-window.ts'
import type { Evaluation } from './evaluation.ts'
import type { Steps } from './steps.ts'
import type { Grid } from './grid.ts'
import { gridOverRuns, type RangeFunction } from './range-runs.ts'
import { GridFiller } from './run-blocks.ts'
import { ROLLUP_ROWS, selectRollup } from './select-rollups.ts'
import { hasOneName, selectRuns } from './select.ts'
import type { Lens } from './range-series.ts'

/**
 * Range functions over rollups, where the result equals that of the samples to the last bit. Series without that
 * guarantee are read again as samples, as long as the samples are stored.
 */

/** When more than this share of a portion is inexact, all samples are read. */
const INEXACT_MAX = 1 / 4

/** A range function over rollups; undefined: samples have to be read. */
export async function gridOverRollups(
  over: RangeFunction,
  selector: VectorSelector,
  lens: Lens,
  rangeMs: number,
  endsMs: Float64Array,
  steps: Steps,
  evaluation: Evaluation,
): Promise<Grid | undefined> {
  const kernel = ownValue(BUCKET_KERNELS, over.name)
  const { explainer } = evaluation
  if (kernel === undefined) {
    explainer?.leave(selector.matchers, `${over.name} does not support rollups`)
    return undefined
  }
  // Windows at a fixed time are one window.
  const moving = lens.fixedMs === undefined ? steps : { ...steps, count: 1 }
  const looks = { firstMs: endsMs[0]!, steps: moving, rangeMs, parts: kernel.parts }
  const selection = selectRollup(selector, looks, evaluation)
  if (selection === undefined) return undefined
  const { rows, widthMs } = selection
  const samples = selection.hasSamples ? sameRows(selector, lens, steps, rangeMs, rows, evaluation) : undefined
  if (selection.hasSamples && samples === undefined) {
    explainer?.leave(selector.matchers, 'series changed while the query started')
    return undefined
  }
  const endNumbers = endsMs.map((endMs) => endMs / widthMs)
  const filler = new GridFiller(rows, steps.count, evaluation)
  /** Cells of rows that need their samples, by position. */
  const inexact = new Map<number, number>()
  for (let from = 0; from < rows.length; from += ROLLUP_ROWS) {
    const to = Math.min(rows.length, from + ROLLUP_ROWS)
    filler.reserve(to - from)
    let buckets = 0
    let found = 0
    const known = inexact.size
    selection.readBuckets(from, to, (row, columns) => {
      found++
      buckets += columns.count
      const cell = filler.add(row)
      const { values, present } = filler
      if (!slideOverBuckets(kernel, columns, endsMs, endNumbers, rangeMs, rangeMs / widthMs, cell, values, present))
        inexact.set(row, cell)
    })
    explainer?.recordBuckets(selection, found, buckets)
    evaluation.budget.takeSamples(found, buckets)
    if (samples === undefined) inexact.clear()
    if (inexact.size - known > found * INEXACT_MAX) {
      const share = `${inexact.size - known} of ${found} series`
      explainer?.leave(selector.matchers, `rollups were read first, and cannot show the answer of ${share}`)
      return undefined
    }
    await evaluation.budget.yieldThread()
  }
  if (samples !== undefined && inexact.size > 0) {
    const places = [...inexact.keys()]
    const again = new PickedRuns(samples, places)
    explainer?.attach(again, explainer.recordOf(samples))
    explainer?.leave(selector.matchers, `rollups cannot show the answer of ${places.length} series: read as runs too`)
    const grid = await gridOverRuns(over, again, rangeMs, endsMs, steps, hasOneName(selector), evaluation)
    takeOver(grid, again, [...inexact.values()], filler)
  }
  return filler.finish(hasOneName(selector))
}

/** The samples of the same series, row by row; undefined when series were added or deleted in between. */
function sameRows(
  selector: VectorSelector,
  lens: Lens,
  steps: Steps,
  rangeMs: number,
  rows: LabelRows,
  evaluation: Evaluation,
): RunSelection | undefined {
  const runs = selectRuns(selector, lens, steps, rangeMs, evaluation)
  return runs?.rows.lineage === rows.lineage && runs.rows.length >= rows.length ? runs : undefined
}

/** Selected rows of a selection, for the few series that need their samples. */
class PickedRuns implements RunSelection {
  readonly rows: LabelRows
  readonly #base: RunSelection
  readonly #places: readonly number[]
  readonly #numbers: ReadonlyMap<number, number>
  readonly #one = new RunColumns()

  constructor(base: RunSelection, places: readonly number[]) {
    this.rows = new PickedRows(base.rows, places)
    this.#base = base
    this.#places = places
    this.#numbers = new Map(places.map((place, number) => [place, number]))
  }

  readRuns(from: number, to: number, into: RunColumns): void {
    into.clear(Infinity)
    for (let row = from; row < to; row++) {
      const place = this.#places[row]!
      this.#base.readRuns(place, place + 1, this.#one)
      into.pushFrom(this.#one, 0, this.#one.count, -Infinity)
      into.endRow()
    }
  }

  readNewest(): void {
    throw new TypeError('bug: range functions do not request the newest sample')
  }

  /** The number here of a row of a grid that was created from these rows. */
  numberOf(labels: LabelRows, row: number): number {
    if (labels === this.rows || !(labels instanceof PickedRows)) return row
    return this.#numbers.get(labels.places[row]!)!
  }
}

/** Copies the rows of `grid` into the cells of their series. */
function takeOver(grid: Grid, again: PickedRuns, cells: readonly number[], { values, present }: GridFiller): void {
  const { steps, labels } = grid
  for (const cell of cells) present.fill(0, cell, cell + steps)
  for (let row = 0; row < labels.length; row++) {
    const cell = cells[again.numberOf(labels, row)]!
    values.set(grid.values.subarray(row * steps, (row + 1) * steps), cell)
    present.set(grid.present.subarray(row * steps, (row + 1) * steps), cell)
  }
}
