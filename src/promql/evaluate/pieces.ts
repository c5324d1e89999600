import type { Steps } from '../../base/thread-slices.ts'
import type { Budget } from '../budget.ts'

/**
 * Operators process whole grids, and a grid may be large. So that the thread serves other work and an abort can arrive,
 * long loops are generators that yield periodically; the caller gives the thread away there when it was held for long.
 * Their inputs must not change at a yield, which grids do not.
 */
export type Pieces<T> = Steps<T>

/** Runs the pieces one after the other. */
export async function runPieces<T>(pieces: Pieces<T>, budget: Budget): Promise<T> {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
    if (budget.isSliceOver) await budget.yieldThread()
  }
}

/** Cells of a piece: at 50 ns per cell, 3 ms. */
const PIECE_CELLS = 65_536

/** For `if ((row & mask) === mask) yield` in a loop over rows of that many cells, or as much other work. */
export function pieceMask(cellsPerRow: number): number {
  const rows = Math.max(1, Math.floor(PIECE_CELLS / Math.max(1, cellsPerRow)))
  return 2 ** Math.floor(Math.log2(rows)) - 1
}

/** The same in a loop over cells. */
export const CELL_MASK = PIECE_CELLS - 1

/** Cost of creating a label set, in cells. */
export const LABELS_CELLS = 256
