import type { Budget } from '../budget.ts'

/**
 * Operators process whole grids, and a grid may be large. So that the thread serves other work and an abort can arrive,
 * long loops are generators that yield periodically; the caller gives the thread away there when it was held for long.
 * Their inputs must not change at a yield, which grids do not.
 */
export type Pieces<T> = Generator<undefined, T, undefined>

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

/** Sorts in place, as `Array.sort` does: equal items keep their order. */
export function* sortInPieces<T>(items: T[], compare: (a: T, b: T) => number): Pieces<T[]> {
  if (items.length <= SORTED_AT_ONCE) return items.sort(compare)
  for (let from = 0; from < items.length; from += SORTED_AT_ONCE) {
    const sorted = items.slice(from, from + SORTED_AT_ONCE).sort(compare)
    for (let i = 0; i < sorted.length; i++) items[from + i] = sorted[i]!
    yield
  }
  let source = items
  let target = new Array<T>(items.length)
  for (let width = SORTED_AT_ONCE; width < items.length; width *= 2) {
    for (let from = 0; from < items.length; from += width * 2) {
      const middle = Math.min(from + width, items.length)
      const end = Math.min(middle + width, items.length)
      let left = from
      let right = middle
      for (let to = from; to < end; to++) {
        const isLeft = right === end || (left < middle && compare(source[left]!, source[right]!) <= 0)
        target[to] = source[isLeft ? left++ : right++]!
        if (to % SORTED_AT_ONCE === 0) yield
      }
    }
    ;[source, target] = [target, source]
  }
  if (source !== items) for (let i = 0; i < items.length; i++) items[i] = source[i]!
  return items
}

const SORTED_AT_ONCE = 4096
