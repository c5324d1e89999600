import type { Histogram } from '../../model/histogram.ts'
import type { Evaluation } from './evaluation.ts'
import type { Grid, HistogramCells } from './grid.ts'
import { CELL_MASK, type Pieces } from './pieces.ts'

/**
 * Grids with native histograms in some cells. Each operator checks once whether there are any; without them it runs its
 * float loop, with them it goes cell by cell.
 */

/** HOT: without histograms this only reads a property. The cells that are floats. */
export function floatsOf(grid: Grid): Grid {
  if (grid.histograms === undefined) return grid
  const { histograms, ...rest } = grid
  return { ...rest, present: grid.present.map((is, cell) => (histograms[cell] === undefined ? is : 0)) }
}

/** The same cells as if they were floats, for callers that only check which cells are present. */
export function withoutHistograms(grid: Grid): Grid {
  if (grid.histograms === undefined) return grid
  const { steps, labels, isNameless, isOneName, values, present } = grid
  return { steps, labels, isNameless, isOneName, values, present }
}

/** Whether a present cell has a histogram. */
export function hasHistograms({ histograms, present }: Grid): boolean {
  return histograms?.some((histogram, cell) => histogram !== undefined && present[cell] === 1) ?? false
}

/** Applies a function to the histograms of a grid; floats are removed, labels and names are unchanged. */
export function mapHistograms(
  grid: Grid,
  compute: (histogram: Histogram, step: number, row: number) => number,
  evaluation: Evaluation,
): Grid {
  const { steps, present, histograms, labels, isNameless, isOneName } = grid
  evaluation.budget.takeCells(labels.length, steps)
  const values = new Float64Array(present.length)
  const kept = new Uint8Array(present.length)
  histograms?.forEach((histogram, cell) => {
    if (histogram === undefined || present[cell] === 0) return
    values[cell] = compute(histogram, cell % steps, Math.floor(cell / steps))
    kept[cell] = 1
  })
  return { steps, labels, isNameless, isOneName, values, present: kept }
}

/** Histograms for other cells, if there are any: `sourceOf` maps each of `count` cells to its source. */
export function gathered(
  histograms: HistogramCells | undefined,
  count: number,
  sourceOf: (cell: number) => number,
): Pick<Grid, 'histograms'> {
  if (histograms === undefined) return {}
  return { histograms: Array.from({ length: count }, (_, cell) => histograms[sourceOf(cell)]) }
}

/** Cost of an operation on a histogram, in float cells. */
export const HISTOGRAM_CELLS = 128
const HISTOGRAM_MASK = CELL_MASK >> 7

/** A sample of a vector at one step. */
export type Element = number | Histogram

/** Applies a function to each sample; cells without a result become empty. Labels are unchanged. */
export function* mapElements(
  grid: Grid,
  compute: (element: Element, step: number) => Element | undefined,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { steps, present, labels, isNameless, isOneName } = grid
  evaluation.budget.takeCells(labels.length, steps)
  const cells = new CellWriter(present.length)
  for (let cell = 0; cell < present.length; cell++) {
    if ((cell & HISTOGRAM_MASK) === HISTOGRAM_MASK) yield
    if (present[cell] === 1) cells.write(cell, compute(elementAt(grid, cell), cell % steps))
  }
  return { steps, labels, isNameless, isOneName, ...cells.columns() }
}

/** The sample of a present cell. */
export function elementAt({ histograms, values }: Grid, cell: number): Element {
  return histograms?.[cell] ?? values[cell]!
}

/** The columns of a grid under construction, of floats and histograms. */
export class CellWriter {
  readonly values: Float64Array
  readonly present: Uint8Array
  /** Absent until the first histogram. */
  #histograms: (Histogram | undefined)[] | undefined

  constructor(cells: number) {
    this.values = new Float64Array(cells)
    this.present = new Uint8Array(cells)
  }

  write(cell: number, element: Element | undefined): void {
    if (element === undefined) return
    this.present[cell] = 1
    if (typeof element === 'number') this.values[cell] = element
    else {
      this.#histograms ??= new Array<Histogram | undefined>(this.values.length)
      this.#histograms[cell] = element
    }
  }

  columns(): Pick<Grid, 'values' | 'present' | 'histograms'> {
    const { values, present } = this
    return { values, present, ...(this.#histograms === undefined ? {} : { histograms: this.#histograms }) }
  }
}
