import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import type { VectorMatching } from '../ast.ts'
import type { Grid } from './grid.ts'
import { numberRows } from './groups.ts'
import { LABELS_CELLS, pieceMask, type Pieces } from './pieces.ts'
import { GroupColumn, type RowGroups } from './row-cache.ts'

/** The match groups of two vectors: rows with equal signatures may be matched. */
export interface Signatures {
  readonly count: number
  /** The signature of each row; there may be more entries than rows. */
  readonly left: Int32Array
  readonly right: Int32Array
}

/** Signatures by `on(labels)` or by all labels except `ignoring(labels)` and the metric name. */
export function* signaturesOf(
  left: Grid,
  right: Grid,
  { isOn, labels }: VectorMatching,
  cache: RowGroups,
): Pieces<Signatures> {
  if (!isOn && labels.length === 0) return yield* signaturesByIdentity(left, right, cache)
  return signaturesByLabels(left, right, labels, !isOn, cache)
}

/** The labels that the rows of a signature share. */
export function signatureLabels(labels: Labels, { isOn, labels: names }: VectorMatching): Labels {
  return isOn ? labels.keep(new Set(names)) : labels.drop(new Set([...names, METRIC_NAME]))
}

/** HOT. Whether any row of a signature has a value, for each of `count` signatures and each step. */
export function* presenceBySignature(grid: Grid, ids: Int32Array, count: number): Pieces<Uint8Array> {
  const { steps, present } = grid
  const found = new Uint8Array(count * steps)
  const mask = pieceMask(steps)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const target = ids[row]! * steps
    for (let s = 0; s < steps; s++) if (present[row * steps + s] === 1) found[target + s] = 1
  }
  return found
}

/** The group numbers of the left side; groups that only the right side has follow them. */
function signaturesByLabels(
  left: Grid,
  right: Grid,
  names: readonly string[],
  isWithout: boolean,
  cache: RowGroups,
): Signatures {
  const { column: leftColumn, ids: leftIds } = numberRows(left, names, isWithout, cache)
  const { column: rightColumn, ids } = numberRows(right, names, isWithout, cache)
  let count = leftColumn.count
  if (leftColumn === rightColumn) return { left: leftIds, right: ids, count }
  const known = cache.translation(rightColumn, leftColumn)
  const rightIds = new Int32Array(right.labels.length)
  for (let row = 0; row < rightIds.length; row++) {
    const id = known[ids[row]!]!
    rightIds[row] = id === -1 ? leftColumn.count + ids[row]! : id
  }
  count += rightColumn.count
  return { left: leftIds, right: rightIds, count }
}

/**
 * HOT. Matching on all labels. Rules often compare a series with its own past: then both sides are the same rows, or
 * cached groups, or the same series, whose `Labels` are identical objects in the store. Only the others are compared by
 * text.
 */
function* signaturesByIdentity(left: Grid, right: Grid, cache: RowGroups): Pieces<Signatures> {
  const areGroups = left.labels.lineage instanceof GroupColumn && right.labels.lineage instanceof GroupColumn
  if (areGroups || !isUnique(left) || !isUnique(right)) return signaturesByLabels(left, right, [], true, cache)
  if (left.labels.lineage === right.labels.lineage) {
    const count = Math.max(left.labels.length, right.labels.length)
    const ids = Int32Array.from({ length: count }, (_, row) => row)
    return { left: ids, right: ids, count }
  }
  const leftIds = new Int32Array(left.labels.length).fill(-1)
  const rightIds = new Int32Array(right.labels.length).fill(-1)
  let count = 0
  const rowOf = new Map<object, number>()
  for (let row = 0; row < rightIds.length; row++) rowOf.set(right.labels.at(row), row)
  for (let row = 0; row < leftIds.length; row++) {
    const match = rowOf.get(left.labels.at(row))
    if (match !== undefined) leftIds[row] = rightIds[match] = count++
  }
  const known = new Map<string, number>()
  const mask = pieceMask(LABELS_CELLS)
  for (const [grid, ids] of [
    [left, leftIds],
    [right, rightIds],
  ] as const) {
    for (let row = 0; row < ids.length; row++) {
      if ((row & mask) === mask) yield
      if (ids[row] === -1) ids[row] = count + numberOf(known, grid.labels.at(row).dropMetricName().key)
    }
  }
  return { left: leftIds, right: rightIds, count: count + known.size }
}

/** No two rows differ only in the name, so a row matched by identity has no other match. */
function isUnique(grid: Grid): boolean {
  return grid.isOneName || grid.isNameless
}

function numberOf(known: Map<string, number>, key: string): number {
  const id = known.get(key)
  if (id !== undefined) return id
  known.set(key, known.size)
  return known.size - 1
}
