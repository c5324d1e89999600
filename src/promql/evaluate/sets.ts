import { LabelList } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { SetOp, VectorMatching } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { haveOneName, labelsOf, mergeEqualRows, type Grid } from './grid.ts'
import { signaturesOf } from './signatures.ts'
import { LABELS_CELLS, pieceMask, type Pieces } from './pieces.ts'

/**
 * `and`, `or`, `unless`: rows of the left side with or without a match on the right, and for `or` the other rows too.
 */
export function* combineSets(
  op: SetOp,
  matching: VectorMatching,
  left: Grid,
  right: Grid,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { steps } = left
  const signatures = signaturesOf(left, right, matching, evaluation.rowCache)
  evaluation.budget.takeCells(signatures.count, steps)
  if (op !== 'or') {
    const found = yield* presenceOf(right, signatures.right, signatures.count)
    return { ...left, present: yield* masked(left, signatures.left, found, op === 'and') }
  }
  const found = yield* presenceOf(left, signatures.left, signatures.count)
  return yield* union(left, { ...right, present: yield* masked(right, signatures.right, found, false) }, evaluation)
}

/** HOT. Whether any row of a signature has a value, for each signature and step. */
function* presenceOf(grid: Grid, ids: Int32Array, count: number): Pieces<Uint8Array> {
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

/** HOT. The cells whose signature was found (`wants`) or not found. */
function* masked(grid: Grid, ids: Int32Array, found: Uint8Array, wants: boolean): Pieces<Uint8Array> {
  const { steps, present } = grid
  const wanted = wants ? 1 : 0
  const kept = new Uint8Array(present.length)
  const mask = pieceMask(steps)
  for (let row = 0; row < grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const source = ids[row]! * steps
    for (let s = 0; s < steps; s++) {
      const cell = row * steps + s
      if (present[cell] === 1 && found[source + s] === wanted) kept[cell] = 1
    }
  }
  return kept
}

/** The rows of both. A series that is on the left at one step and on the right at another is one row. */
function* union(left: Grid, right: Grid, evaluation: Evaluation): Pieces<Grid> {
  const { steps } = left
  const rows = left.labels.length + right.labels.length
  evaluation.budget.takeCells(rows, steps)
  const values = new Float64Array(rows * steps)
  const present = new Uint8Array(rows * steps)
  values.set(left.values)
  values.set(right.values, left.values.length)
  present.set(left.present)
  present.set(right.present, left.present.length)
  const all: Labels[] = []
  const mask = pieceMask(LABELS_CELLS)
  for (const grid of [left, right]) {
    for (let row = 0; row < grid.labels.length; row++) {
      if ((row & mask) === mask) yield
      all.push(labelsOf(grid, row))
    }
  }
  const labels = new LabelList(all)
  const edge = left.values.length
  const both =
    left.histograms === undefined && right.histograms === undefined
      ? {}
      : {
          histograms: Array.from(values, (_, at) =>
            at < edge ? left.histograms?.[at] : right.histograms?.[at - edge],
          ),
        }
  return mergeEqualRows({ steps, labels, isNameless: false, isOneName: haveOneName(labels), values, present, ...both })
}
