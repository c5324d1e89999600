import { LabelList } from '../../model/label-rows.ts'
import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import type { VectorMatching } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import type { Grid } from './grid.ts'
import { signaturesOf } from './signatures.ts'
import { LABELS_CELLS, pieceMask, type Pieces } from './pieces.ts'

/**
 * `fill`, `fill_left` and `fill_right`: before two vectors are joined, each side gets rows for series that only the
 * other side has, at the steps at which they are missing. These rows have only the matching labels.
 */

export function fillsMissing({ fillLeft, fillRight }: VectorMatching): boolean {
  return fillLeft !== undefined || fillRight !== undefined
}

/** Both sides with the missing rows. `fill_left` is for the many side, on either side, as in Prometheus. */
export function* fillMissing(
  matching: VectorMatching,
  left: Grid,
  right: Grid,
  evaluation: Evaluation,
): Pieces<readonly [Grid, Grid]> {
  const isSwapped = matching.card === 'one-to-many'
  const [forLeft, forRight] = isSwapped
    ? [matching.fillRight, matching.fillLeft]
    : [matching.fillLeft, matching.fillRight]
  const signatures = signaturesOf(left, right, matching, evaluation.rowCache)
  const sides = { left: sideOf(left, signatures.left), right: sideOf(right, signatures.right) }
  return [
    forLeft === undefined ? left : yield* filled(sides.left, sides.right, forLeft, matching, evaluation),
    forRight === undefined ? right : yield* filled(sides.right, sides.left, forRight, matching, evaluation),
  ]
}

interface Side {
  readonly grid: Grid
  readonly ids: Int32Array
}

function sideOf(grid: Grid, ids: Int32Array): Side {
  return { grid, ids }
}

/** One side, with a row of `value` for each signature that the other side has at a step and this side has not. */
function* filled(
  { grid, ids }: Side,
  other: Side,
  value: number,
  matching: VectorMatching,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { steps } = grid
  const mask = pieceMask(steps + LABELS_CELLS)
  const own = yield* presenceBySignature(grid, ids)
  const others = yield* presenceBySignature(other.grid, other.ids)
  const added: { readonly labels: Labels; readonly present: Uint8Array }[] = []
  const seen = new Set<number>()
  for (let row = 0; row < other.grid.labels.length; row++) {
    if ((row & mask) === mask) yield
    const id = other.ids[row]!
    if (seen.size === seen.add(id).size) continue
    const there = own.get(id)
    const present = others.get(id)!.map((is, s) => (there?.[s] === 1 ? 0 : is))
    if (present.includes(1)) added.push({ labels: matchedLabels(other.grid.labels.at(row), matching), present })
  }
  return added.length === 0 ? grid : appended(grid, added, value, evaluation)
}

/** The steps at which any row of a signature has a value. */
function* presenceBySignature({ steps, present, labels }: Grid, ids: Int32Array): Pieces<Map<number, Uint8Array>> {
  const mask = pieceMask(steps)
  const found = new Map<number, Uint8Array>()
  for (let row = 0; row < labels.length; row++) {
    if ((row & mask) === mask) yield
    let at = found.get(ids[row]!)
    if (at === undefined) found.set(ids[row]!, (at = new Uint8Array(steps)))
    for (let s = 0; s < steps; s++) if (present[row * steps + s] === 1) at[s] = 1
  }
  return found
}

function matchedLabels(labels: Labels, { isOn, labels: names }: VectorMatching): Labels {
  return isOn ? labels.keep(new Set(names)) : labels.drop(new Set([...names, METRIC_NAME]))
}

function appended(
  grid: Grid,
  added: readonly { readonly labels: Labels; readonly present: Uint8Array }[],
  value: number,
  { budget }: Evaluation,
): Grid {
  const { steps, labels } = grid
  const rows = labels.length + added.length
  budget.takeCells(rows, steps)
  const values = new Float64Array(rows * steps).fill(value)
  values.set(grid.values.subarray(0, labels.length * steps))
  const present = new Uint8Array(rows * steps)
  present.set(grid.present.subarray(0, labels.length * steps))
  added.forEach((one, i) => {
    present.set(one.present, (labels.length + i) * steps)
  })
  const all = Array.from({ length: labels.length }, (_, row) => labels.at(row))
  const list = new LabelList([...all, ...added.map((one) => one.labels)])
  return { ...grid, labels: list, isOneName: grid.isNameless && grid.isOneName, values, present }
}
