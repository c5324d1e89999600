import type { Histogram } from '../../model/histogram.ts'
import type { Evaluation } from './evaluation.ts'
import type { Grid, HistogramCells } from './grid.ts'
import { CELL_MASK, type Pieces } from './pieces.ts'

/**
 * Grids some of whose cells are native histograms. Each operator asks once whether there are any, and without them runs
 * as if they did not exist; with them it goes cell by cell.
 */

/** HOT: a property is read where there are no histograms. The cells that are floats. */
export function floatsOf(grid: Grid): Grid {
  if (grid.histograms === undefined) return grid
  const { histograms, ...rest } = grid
  return { ...rest, present: grid.present.map((is, cell) => (histograms[cell] === undefined ? is : 0)) }
}

/** The same cells, as if their values were floats: for whoever only asks which are there. */
export function withoutHistograms(grid: Grid): Grid {
  if (grid.histograms === undefined) return grid
  const { steps, labels, isNameless, isOneName, values, present } = grid
  return { steps, labels, isNameless, isOneName, values, present }
}

/** Whether a cell that is there has a histogram. */
export function hasHistograms({ histograms, present }: Grid): boolean {
  return histograms?.some((histogram, cell) => histogram !== undefined && present[cell] === 1) ?? false
}

/** The histograms of a grid through a function; floats are left out, labels and names stay. */
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

/** Histograms for other cells, if there are any: `sourceOf` tells where each of `count` cells was before. */
export function gathered(
  histograms: HistogramCells | undefined,
  count: number,
  sourceOf: (cell: number) => number,
): Pick<Grid, 'histograms'> {
  if (histograms === undefined) return {}
  return { histograms: Array.from({ length: count }, (_, cell) => histograms[sourceOf(cell)]) }
}

/** What working on a histogram costs, in cells of floats. */
export const HISTOGRAM_CELLS = 128
const HISTOGRAM_MASK = CELL_MASK >> 7

/** A sample of a vector at one step. */
export type Element = number | Histogram

/** Every cell through a function of its sample and step; where it gives nothing, the cell is gone. Labels stay. */
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

/** The sample of a cell that is there. */
export function elementAt({ histograms, values }: Grid, cell: number): Element {
  return histograms?.[cell] ?? values[cell]!
}

/** The columns of a grid under way, of floats and histograms. */
export class CellWriter {
  readonly values: Float64Array
  readonly present: Uint8Array
  readonly #histograms: (Histogram | undefined)[]
  #hasHistograms = false

  constructor(cells: number) {
    this.values = new Float64Array(cells)
    this.present = new Uint8Array(cells)
    this.#histograms = new Array<Histogram | undefined>(cells)
  }

  write(cell: number, element: Element | undefined): void {
    if (element === undefined) return
    this.present[cell] = 1
    if (typeof element === 'number') this.values[cell] = element
    else {
      this.#histograms[cell] = element
      this.#hasHistograms = true
    }
  }

  columns(): Pick<Grid, 'values' | 'present' | 'histograms'> {
    const { values, present } = this
    return this.#hasHistograms ? { values, present, histograms: this.#histograms } : { values, present }
  }
}
