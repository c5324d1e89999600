import { PickedRows, type LabelRows } from '../../model/label-rows.ts'
import type { RunSelection } from '../../model/queryable.ts'
import { RunColumns } from '../../model/run-columns.ts'
import { SLICE_MS, type Budget } from '../budget.ts'
import type { Evaluation } from './evaluation.ts'
import type { Grid } from './grid.ts'

/**
 * Reads the series of a selector in portions, as runs: a query over a fleet holds the samples of some series at a time,
 * yields the thread between two portions, and ends at the first portion beyond its limit.
 */

/** Target number of runs of a portion: about the size of the second-level cache. */
const BLOCK_RUNS = 30_000
const BLOCK_ROWS_MAX = 8192
/** Rows of the first portion of a long range, to measure the runs per row. */
const FIRST_ROWS = 64
const SHORT_MS = 3_600_000
/** The assumed scrape interval, for an estimate. */
const SCRAPE_MS = 30_000
/** Maximum values of the first portion of a short range: at 1 us each, some 20 ms. */
const FIRST_BLOCK_CELLS = 20_000
/** Rows of one pack, or of a few. */
const COUNTED_ROWS = 512
/** Larger columns are released after the query. */
const KEPT_RUNS_MAX = 1_000_000

/** Shared by all queries: it is not read after a portion, and portions of two queries do not overlap. */
let scratch = new RunColumns()

/** Calls `visit` with each portion: the number of its first row, and the runs of its rows. */
export async function eachBlock(
  selection: RunSelection,
  spanMs: number,
  stepCount: number,
  evaluation: Evaluation,
  visit: (firstRow: number, runs: RunColumns) => void,
): Promise<void> {
  const { budget, explainer } = evaluation
  let rows = firstRowsOf(spanMs, stepCount)
  const total = selection.rows.length
  let isFirst = true
  for (let from = 0; from < total;) {
    const to = Math.min(total, from + rows)
    const runs = scratch
    const startedMs = explainer?.beginPortion() ?? 0
    const beganMs = budget.elapsedMs
    selection.readRuns(from, to, runs)
    const found = rowsWithRuns(runs)
    explainer?.recordPortion(selection, found, runs, startedMs)
    budget.takeSamples(found, runs.count)
    visit(from, runs)
    rows = Math.max(1, Math.min(BLOCK_ROWS_MAX, Math.floor(((to - from) * BLOCK_RUNS) / (runs.count + 1))))
    // The cost of functions over samples per row is known after some rows.
    const tookMs = budget.elapsedMs - beganMs
    if (tookMs > SLICE_MS) rows = Math.max(1, Math.min(rows, Math.floor(((to - from) * SLICE_MS) / tookMs)))
    if (runs.startsMs.length > KEPT_RUNS_MAX) scratch = new RunColumns()
    const isSuspect = isFirst && (runs.count / to) * total > budget.samplesLeft
    if (isSuspect && selection.runsAtLeast !== undefined) await countRuns(selection, to, 0, budget)
    isFirst = false
    from = to
    if (from < total) await budget.yieldThread()
  }
}

/**
 * A short range is read at once, unless it creates many values; a long one starts with a few rows, as if all changed
 * often.
 */
function firstRowsOf(spanMs: number, stepCount: number): number {
  if (spanMs <= SHORT_MS)
    return Math.max(FIRST_ROWS, Math.min(BLOCK_ROWS_MAX, Math.floor(FIRST_BLOCK_CELLS / stepCount)))
  return Math.max(4, Math.min(FIRST_ROWS, Math.floor((BLOCK_RUNS * SCRAPE_MS) / spanMs)))
}

/**
 * Ends a query that would exceed its limit before it has computed that much: adds the store's lower bound of the runs of
 * the rows from `from` on to `before`. The first rows of a query only raise the suspicion.
 */
export async function countRuns(
  selection: RunSelection,
  from: number,
  before: number,
  budget: Budget,
): Promise<number> {
  let runs = before
  for (let row = from; row < selection.rows.length; row += COUNTED_ROWS) {
    runs += selection.runsAtLeast?.(row, Math.min(selection.rows.length, row + COUNTED_ROWS)) ?? 0
    if (runs > budget.samplesLeft) budget.takeSamples(0, runs)
    await budget.yieldThread()
  }
  return runs
}

function rowsWithRuns({ ends, rows }: RunColumns): number {
  let found = 0
  for (let row = 0; row < rows; row++) if (ends[row]! > (row === 0 ? 0 : ends[row - 1]!)) found++
  return found
}

/** A grid under construction; series without a sample get no row. */
export class GridFiller {
  values: Float64Array
  present: Uint8Array
  readonly #rows: LabelRows
  readonly #steps: number
  readonly #evaluation: Evaluation
  readonly #places: Uint32Array
  #count = 0

  constructor(rows: LabelRows, steps: number, evaluation: Evaluation) {
    this.#rows = rows
    this.#steps = steps
    this.#evaluation = evaluation
    this.#places = new Uint32Array(rows.length)
    const cells = Math.min(rows.length, Math.max(FIRST_ROWS, Math.floor(FIRST_CELLS / steps))) * steps
    this.values = new Float64Array(cells)
    this.present = new Uint8Array(cells)
  }

  /** Reserves that many more rows, within the query's limit. Replaces the columns when they grow. */
  reserve(rows: number): void {
    this.#evaluation.budget.takeCells(rows, this.#steps)
    const needed = (this.#count + rows) * this.#steps
    if (needed <= this.values.length) return
    const cells = Math.min(this.#rows.length * this.#steps, Math.max(needed, this.values.length * 2))
    const values = new Float64Array(cells)
    values.set(this.values)
    this.values = values
    const present = new Uint8Array(cells)
    present.set(this.present)
    this.present = present
  }

  /** HOT. Starts the row of series `place`; returns its first cell. */
  add(place: number): number {
    this.#places[this.#count] = place
    return this.#count++ * this.#steps
  }

  finish(isOneName: boolean): Grid {
    const count = this.#count
    const cells = count * this.#steps
    const isWhole = count === this.#rows.length
    return {
      steps: this.#steps,
      labels: isWhole ? this.#rows : new PickedRows(this.#rows, this.#places.subarray(0, count)),
      isNameless: false,
      isOneName,
      values: this.values.subarray(0, cells),
      present: this.present.subarray(0, cells),
    }
  }
}

/** Maximum initial cells of a grid. */
const FIRST_CELLS = 8_000_000
