import type { SetOp, VectorMatching } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { mergeEqualRows, stacked, type Grid } from './grid.ts'
import { presenceBySignature, signaturesOf } from './signatures.ts'
import { pieceMask, type Pieces } from './pieces.ts'

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
  const signatures = yield* signaturesOf(left, right, matching, evaluation.rowCache)
  evaluation.budget.takeCells(signatures.count, steps)
  if (op !== 'or') {
    const found = yield* presenceBySignature(right, signatures.right, signatures.count)
    return { ...left, present: yield* masked(left, signatures.left, found, op === 'and') }
  }
  const found = yield* presenceBySignature(left, signatures.left, signatures.count)
  const others = { ...right, present: yield* masked(right, signatures.right, found, false) }
  evaluation.budget.takeCells(left.labels.length + right.labels.length, steps)
  // A series that is on the left at one step and on the right at another is one row.
  return mergeEqualRows(yield* stacked([left, others], steps))
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
