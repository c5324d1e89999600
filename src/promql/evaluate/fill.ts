import { LabelList } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { VectorMatching } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { stacked, type Grid } from './grid.ts'
import { presenceBySignature, signatureLabels, signaturesOf } from './signatures.ts'
import { LABELS_CELLS, pieceMask, type Pieces } from './pieces.ts'

/**
 * `fill`, `fill_left` and `fill_right`: before two vectors are joined, each side gets rows for series that only the
 * other side has, at the steps at which they are missing. These rows have only the matching labels.
 */
export function* fillMissing(
  matching: VectorMatching,
  left: Grid,
  right: Grid,
  evaluation: Evaluation,
): Pieces<readonly [Grid, Grid]> {
  const { card, fillLeft, fillRight } = matching
  if (fillLeft === undefined && fillRight === undefined) return [left, right]
  // `fill_left` is for the many side, on either side, as in Prometheus.
  const [forLeft, forRight] = card === 'one-to-many' ? [fillRight, fillLeft] : [fillLeft, fillRight]
  const { left: leftIds, right: rightIds, count } = yield* signaturesOf(left, right, matching, evaluation.rowCache)
  const ofLeft = { grid: left, ids: leftIds, found: yield* presenceBySignature(left, leftIds, count) }
  const ofRight = { grid: right, ids: rightIds, found: yield* presenceBySignature(right, rightIds, count) }
  return [
    forLeft === undefined ? left : yield* filled(ofLeft, ofRight, forLeft, matching, evaluation),
    forRight === undefined ? right : yield* filled(ofRight, ofLeft, forRight, matching, evaluation),
  ]
}

interface Side {
  readonly grid: Grid
  readonly ids: Int32Array
  readonly found: Uint8Array
}

/** One side, with a row of `value` for each signature that the other side has at a step and this side has not. */
function* filled(
  { grid, found }: Side,
  other: Side,
  value: number,
  matching: VectorMatching,
  { budget }: Evaluation,
): Pieces<Grid> {
  const { steps } = grid
  const mask = pieceMask(steps + LABELS_CELLS)
  const labels: Labels[] = []
  const missing: Uint8Array[] = []
  const seen = new Set<number>()
  for (let row = 0; row < other.grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const id = other.ids[row]!
    if (seen.size === seen.add(id).size) continue
    const from = id * steps
    const present = other.found.subarray(from, from + steps).map((is, s) => (found[from + s] === 1 ? 0 : is))
    if (!present.includes(1)) continue
    labels.push(signatureLabels(other.grid.labels.at(row), matching))
    missing.push(present)
  }
  if (labels.length === 0) return grid
  budget.takeCells(grid.labels.length + labels.length, steps)
  const present = new Uint8Array(labels.length * steps)
  missing.forEach((is, row) => {
    present.set(is, row * steps)
  })
  const values = new Float64Array(present.length).fill(value)
  const added = { steps, labels: new LabelList(labels), isNameless: false, isOneName: false, values, present }
  return yield* stacked([grid, added], steps)
}
