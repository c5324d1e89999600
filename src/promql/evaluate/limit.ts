import { FleetError } from '../../base/errors.ts'
import { xxhash64 } from '../../base/xxhash64.ts'
import type { Labels } from '../../model/labels.ts'
import type { Expr } from '../ast.ts'
import type { Evaluation } from './evaluation.ts'
import { hasCell, labelsOf, type Grid } from './grid.ts'
import type { Groups } from './groups.ts'
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
  if (most > 1) annotations.warn('invalidRatio', place, most, 1)
  if (least < -1) annotations.warn('invalidRatio', place, least, -1)
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

/** The store returns the same label sets at each evaluation of a rule. */
const known = new WeakMap<Labels, number>()
const encoder = new TextEncoder()

/**
 * The hash of a label set between 0 and 1, evenly distributed, computed as in Prometheus (XXH64 over names and values,
 * each after its length), so that `limit_ratio` selects the same series.
 */
function hashRatio(labels: Labels): number {
  let ratio = known.get(labels)
  if (ratio === undefined) {
    ratio = Number(xxhash64(bytesOf(labels))) / 2 ** 64
    known.set(labels, ratio)
  }
  return ratio
}

function bytesOf({ flat }: Labels): Uint8Array {
  const texts = flat.map((text) => encoder.encode(text))
  const bytes = new Uint8Array(texts.reduce((sum, { length }) => sum + (length < 255 ? 1 : 4) + length, 0))
  let at = 0
  for (const text of texts) {
    const { length } = text
    if (length < 255) bytes[at++] = length
    else {
      bytes.set([255, length & 255, (length >> 8) & 255, (length >> 16) & 255], at)
      at += 4
    }
    bytes.set(text, at)
    at += length
  }
  return bytes
}
