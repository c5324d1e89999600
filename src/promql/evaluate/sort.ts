import { sortInSteps } from '../../base/sort-in-steps.ts'
import { compareLabels, compareText, type Labels } from '../../model/labels.ts'
import { labelsOf, type Grid } from './grid.ts'
import type { Pieces } from './pieces.ts'
import { compareRank, takeRows } from './top.ts'

/** `sort` and `sort_desc`: rows by value. */
export function sortedByValue(grid: Grid, isDescending: boolean): Pieces<Grid> {
  return sorted(grid, (a, b) => compareRank(grid.values[a]!, grid.values[b]!, isDescending))
}

/** `sort_by_label` and `sort_by_label_desc`: rows by the values of labels, one after the other. */
export function sortedByLabels(grid: Grid, names: readonly string[], isDescending: boolean): Pieces<Grid> {
  const labels: Labels[] = []
  const compare = (a: number, b: number): number => {
    const first = (labels[a] ??= labelsOf(grid, a))
    const second = (labels[b] ??= labelsOf(grid, b))
    for (const name of names) {
      const order = compareNaturally(first.get(name), second.get(name))
      if (order !== 0) return order
    }
    return compareLabels(first, second)
  }
  return sorted(grid, (a, b) => (isDescending ? compare(b, a) : compare(a, b)))
}

/** Only an instant query: a range query sorts by labels. */
function* sorted(grid: Grid, compare: (a: number, b: number) => number): Pieces<Grid> {
  if (grid.steps !== 1) return grid
  const rows = Array.from(grid.present.keys()).filter((row) => grid.present[row] === 1)
  return takeRows(grid, yield* sortInSteps(rows, compare))
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
