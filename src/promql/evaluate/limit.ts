import { FleetError } from '../../base/errors.ts'
import type { Expr } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { hasCell, labelsOf, type Grid } from './grid.ts'
import type { Groups } from './groups.ts'
import { hashRatio } from './label-hash.ts'
import { takeRows, wholeParameter } from './top.ts'
import { LABELS_CELLS, pieceMask, type Pieces } from './pieces.ts'

/** Experimental aggregations that select some of the series without changing them. */

/** `limitk`: the first k present series of each group, step by step, in no particular order. */
export function* limitCount(grid: Grid, groups: Groups, params: Float64Array): Pieces<Grid> {
  const { steps, present } = grid
  const limits = Array.from(params, wholeParameter)
  const taken = new Uint32Array(groups.labels.length * steps)
  const mask = pieceMask(steps)
  const kept = new Uint8Array(present.length)
  for (let row = 0; row < grid.labels.length; row++) {
    const group = groups.ids[row]! * steps
    for (let s = 0; s < steps; s++) {
      if (present[row * steps + s] === 0 || taken[group + s]! >= limits[s]!) continue
      taken[group + s]!++
      kept[row * steps + s] = 1
    }
    if ((row & mask) === mask) yield
  }
  return keptRows({ ...grid, present: kept })
}

/** The ratio of each step, between -1 and 1, with a warning about ratios outside. */
export function ratiosOf(params: Float64Array, place: Expr, { annotations }: Evaluation): Float64Array {
  if (params.some(Number.isNaN)) throw new FleetError('query_execution', 'Ratio value is NaN')
  const [most, least] = [Math.max(...params), Math.min(...params)]
  if (most > 1) annotations.invalidRatio(most, 1, place)
  if (least < -1) annotations.invalidRatio(least, -1, place)
  return params.map((ratio) => Math.min(1, Math.max(-1, ratio)))
}

/**
 * `limit_ratio(r)`: selects series by a hash of their labels, so that the selection is the same at each step and
 * `limit_ratio(r - 1)` is its complement.
 */
export function* limitRatio(grid: Grid, ratios: Float64Array): Pieces<Grid> {
  const { steps, present } = grid
  const kept = new Uint8Array(present.length)
  const mask = pieceMask(steps + LABELS_CELLS)
  for (let row = 0; row < grid.labels.length; row++) {
    const place = hashRatio(labelsOf(grid, row))
    for (let s = 0; s < steps; s++) {
      const ratio = ratios[s]!
      const isIn = ratio >= 0 ? place < ratio : place >= 1 + ratio
      if (isIn) kept[row * steps + s] = present[row * steps + s]!
    }
    if ((row & mask) === mask) yield
  }
  return keptRows({ ...grid, present: kept })
}

function keptRows(grid: Grid): Grid {
  const rows: number[] = []
  for (let row = 0; row < grid.labels.length; row++) if (hasCell(grid, row)) rows.push(row)
  return takeRows(grid, rows)
}
