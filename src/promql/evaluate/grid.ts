import { FleetError } from '../../base/errors.ts'
import type { Histogram } from '../../model/histogram.ts'
import { LabelList, listOf, type LabelRows } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import { LABELS_CELLS, pieceMask, type Pieces } from './pieces.ts'

/**
 * An instant vector at every step of a query, as columns: a row is a series, a column is a step, and the cell of row
 * `r` at step `s` is number `r * steps + s`. A cell without a value has 0 in `present`, and its value is undefined. A
 * grid is immutable once returned, so operators may share the arrays of their input.
 */
export interface Grid {
  readonly steps: number
  /** One per row. If `isNameless`, the metric name is dropped; use `labelsOf`. */
  readonly labels: LabelRows
  /** An operation dropped the names. This flag saves a new label set per series. */
  readonly isNameless: boolean
  /** All rows have the same metric name, or none: dropping it cannot make two rows equal. */
  readonly isOneName: boolean
  readonly values: Float64Array
  readonly present: Uint8Array
  /** By cell, for native histograms. Absent when there are none, the case that hot loops handle. */
  readonly histograms?: HistogramCells
}

export type HistogramCells = readonly (Histogram | undefined)[]

/** The labels of a row, without a dropped name. */
export function labelsOf(grid: Grid, row: number): Labels {
  const labels = grid.labels.at(row)
  return grid.isNameless ? labels.dropMetricName() : labels
}

/** One series with a value at every step. */
export function singleRow(labels: Labels, values: Float64Array): Grid {
  const steps = values.length
  return {
    steps,
    labels: new LabelList([labels]),
    isNameless: false,
    isOneName: true,
    values,
    present: new Uint8Array(steps).fill(1),
  }
}

/** Prometheus' error for an operation that would give two series the same labels. */
export function refuseSameLabels(): never {
  throw new FleetError('query_execution', 'vector cannot contain metrics with the same labelset')
}

/** Drops metric names. Series that become equal are merged when they have no common step, and refused otherwise. */
export function dropNames(grid: Grid): Grid {
  if (grid.isNameless) return grid
  if (grid.isOneName) return { ...grid, isNameless: true }
  return mergeEqualRows({ ...grid, labels: namelessRows(grid), isOneName: true })
}

/** Drops metric names; series that become equal are refused even without a common step (as for range functions). */
export function dropNamesStrictly(grid: Grid): Grid {
  if (grid.isNameless || grid.isOneName) return dropNames(grid)
  const labels = namelessRows(grid)
  const seen = new Set<string>()
  for (let row = 0; row < labels.length; row++) {
    // Rows without a value do not count.
    if (hasCell(grid, row) && seen.size === seen.add(labels.at(row).key).size) refuseSameLabels()
  }
  return { ...grid, labels, isOneName: true }
}

function namelessRows({ labels }: Grid): LabelRows {
  return new LabelList(listOf(labels).map((one) => one.dropMetricName()))
}

/** Label sets derived from those of other rows, one by one. */
export function* mapRowsInPieces(
  rows: LabelRows,
  make: (labels: Labels, row: number) => Labels,
  isPieceOver?: () => boolean,
): Pieces<LabelRows> {
  const made = new Array<Labels>(rows.length)
  const mask = pieceMask(LABELS_CELLS)
  for (let row = 0; row < made.length; row++) {
    if ((row & mask) === mask || isPieceOver?.() === true) yield
    made[row] = make(rows.at(row), row)
  }
  return new LabelList(made)
}

export function hasCell({ present, steps }: Grid, row: number): boolean {
  const end = (row + 1) * steps
  for (let i = row * steps; i < end; i++) if (present[i] === 1) return true
  return false
}

/** Whether any row has a value, by step. */
export function stepsWithValues({ present, steps }: Grid): Uint8Array {
  const found = new Uint8Array(steps)
  for (let cell = 0; cell < present.length; cell++) if (present[cell] === 1) found[cell % steps] = 1
  return found
}

/** Merges rows with equal labels; refuses two values at one step. */
export function mergeEqualRows(grid: Grid): Grid {
  const { steps, values, present, histograms } = grid
  const rowOf = new Map<string, number>()
  const target = Array.from({ length: grid.labels.length }, (_, from) => {
    const { key } = grid.labels.at(from)
    const row = rowOf.get(key) ?? rowOf.size
    rowOf.set(key, row)
    return row
  })
  if (rowOf.size === grid.labels.length) return grid
  const labels: Labels[] = []
  const cells = rowOf.size * steps
  const merged = {
    values: new Float64Array(cells),
    present: new Uint8Array(cells),
    ...(histograms === undefined ? {} : { histograms: new Array<Histogram | undefined>(cells) }),
  }
  for (let row = 0; row < target.length; row++) {
    const into = target[row]!
    labels[into] = grid.labels.at(row)
    for (let s = 0; s < steps; s++) {
      const from = row * steps + s
      if (present[from] === 0) continue
      const to = into * steps + s
      if (merged.present[to] === 1) refuseSameLabels()
      merged.present[to] = 1
      merged.values[to] = values[from]!
      if (histograms !== undefined) merged.histograms![to] = histograms[from]
    }
  }
  return { ...grid, labels: new LabelList(labels), ...merged }
}

/** The rows of several grids, one after the other. */
export function* stacked(grids: readonly Grid[], steps: number): Pieces<Grid> {
  const all: Labels[] = []
  const mask = pieceMask(LABELS_CELLS)
  for (const grid of grids) {
    for (let row = 0; row < grid.labels.length; row++) {
      if ((row & mask) === mask) yield
      all.push(labelsOf(grid, row))
    }
  }
  const labels = new LabelList(all)
  const values = new Float64Array(all.length * steps)
  const present = new Uint8Array(values.length)
  const histograms: (Histogram | undefined)[] = []
  for (let at = 0, i = 0; i < grids.length; at += grids[i++]!.values.length) {
    values.set(grids[i]!.values, at)
    present.set(grids[i]!.present, at)
    grids[i]!.histograms?.forEach((histogram, cell) => (histograms[at + cell] = histogram))
  }
  const both = histograms.length === 0 ? {} : { histograms }
  return { steps, labels, isNameless: false, isOneName: haveOneName(labels), values, present, ...both }
}

/** Whether all rows have the same metric name, or none. */
export function haveOneName(labels: LabelRows): boolean {
  for (let row = 1; row < labels.length; row++) {
    if (labels.at(row).metricName !== labels.at(0).metricName) return false
  }
  return true
}
