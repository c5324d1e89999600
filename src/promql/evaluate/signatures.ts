import type { VectorMatching } from '../ast.ts'
import type { Grid } from './grid.ts'
import { keyMaker } from './groups.ts'

/** The match groups of two vectors: rows with equal signatures may be matched. */
export interface Signatures {
  readonly count: number
  /** The signature of each row. */
  readonly left: Int32Array
  readonly right: Int32Array
}

/** Signatures by `on(labels)` or by all labels but `ignoring(labels)` and the metric's name. */
export function signaturesOf(left: Grid, right: Grid, { isOn, labels }: VectorMatching): Signatures {
  if (!isOn && labels.length === 0) return signaturesByIdentity(left, right)
  const known = new Map<string, number>()
  const assign = (grid: Grid): Int32Array => {
    const keyFor = keyMaker(grid, labels, !isOn)
    return Int32Array.from(grid.labels, (_, row) => numberOf(known, keyFor(row)))
  }
  const leftIds = assign(left)
  return { left: leftIds, right: assign(right), count: known.size }
}

/**
 * HOT. Matching on all labels. A store gives a series the same `Labels` object each time, and rules love to compare a
 * series with its own past, so rows are first matched by object; only what is left is compared by text.
 */
function signaturesByIdentity(left: Grid, right: Grid): Signatures {
  const leftIds = new Int32Array(left.labels.length).fill(-1)
  const rightIds = new Int32Array(right.labels.length).fill(-1)
  let count = 0
  if (isUnique(left) && isUnique(right)) {
    const rowOf = new Map(right.labels.map((labels, row) => [labels, row]))
    left.labels.forEach((labels, row) => {
      const match = rowOf.get(labels)
      if (match !== undefined) leftIds[row] = rightIds[match] = count++
    })
  }
  const known = new Map<string, number>()
  const rest = (grid: Grid, ids: Int32Array): void => {
    const keyFor = keyMaker(grid, [], true)
    for (let row = 0; row < ids.length; row++) if (ids[row] === -1) ids[row] = count + numberOf(known, keyFor(row))
  }
  rest(left, leftIds)
  rest(right, rightIds)
  return { left: leftIds, right: rightIds, count: count + known.size }
}

/** No two rows differ in the name alone, so a row matched by object has no other match. */
function isUnique(grid: Grid): boolean {
  return grid.isOneName || grid.isNameless
}

function numberOf(known: Map<string, number>, key: string): number {
  const id = known.get(key)
  if (id !== undefined) return id
  known.set(key, known.size)
  return known.size - 1
}
