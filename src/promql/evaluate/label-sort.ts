import { compareLabels, compareText } from '../../model/labels.ts'
import { labelsOf, type Grid } from './grid.ts'
import { takeRows } from './top.ts'
import { sortInPieces, type Pieces } from './pieces.ts'

/** `sort_by_label`: rows by the values of labels, one after the other; a range query sorts by all labels anyway. */
export function* sortedByLabels(grid: Grid, names: readonly string[], isDescending: boolean): Pieces<Grid> {
  if (grid.steps !== 1) return grid
  const rows = Array.from({ length: grid.labels.length }, (_, row) => row).filter((row) => grid.present[row] === 1)
  const labels = new Map(rows.map((row) => [row, labelsOf(grid, row)]))
  const compare = (a: number, b: number): number => {
    const [first, second] = [labels.get(a)!, labels.get(b)!]
    for (const name of names) {
      const order = compareNaturally(first.get(name), second.get(name))
      if (order !== 0) return order
    }
    return compareLabels(first, second)
  }
  return takeRows(grid, yield* sortInPieces(rows, (a, b) => (isDescending ? compare(b, a) : compare(a, b))))
}

/** Compares texts by their digits as numbers and the parts between: `node9` before `node10`. */
function compareNaturally(a: string, b: string): number {
  if (a === b) return 0
  const [left, right] = [chunksOf(a), chunksOf(b)]
  for (let i = 0; i < left.length; i++) {
    if (i >= right.length) return 1
    const order = compareChunks(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length < right.length ? -1 : compareText(a, b)
}

function chunksOf(text: string): string[] {
  return text.match(/\d+|\D+/g) ?? []
}

function compareChunks(a: string, b: string): number {
  if (/^\d/.test(a) && /^\d/.test(b)) {
    const [left, right] = [BigInt(a), BigInt(b)]
    if (left !== right) return left < right ? -1 : 1
    // Of equal numbers, the one with more leading zeros is later.
    return a.length - b.length
  }
  return compareText(a, b)
}
