import { FleetError } from '../../base/errors.ts'
import { PickedRows } from '../../model/label-rows.ts'
import { type Grid, hasCell } from './grid.ts'
import { membersOf, type Groups } from './groups.ts'
import { gathered } from './histogram-cells.ts'
import { pieceMask, type Pieces } from './pieces.ts'

/**
 * `topk` and `bottomk`: the k greatest or least of each group at each step, unchanged. NaN is last in both. Rows are in
 * the order of the first step's ranking, group by group, which is the order of an instant query.
 */
export function* selectTop(grid: Grid, groups: Groups, params: Float64Array, isTop: boolean): Pieces<Grid> {
  const { steps, values, present } = grid
  const limits = Array.from(params, wholeParameter)
  const kept = new Uint8Array(present.length)
  const order: number[] = []
  for (const rows of membersOf(grid, groups)) {
    const mask = pieceMask(rows.length)
    for (let s = 0; s < steps; s++) {
      if ((s & mask) === mask) yield
      const ranked = rank(
        rows,
        Math.min(limits[s]!, rows.length),
        (row) => present[row * steps + s] === 1,
        (a, b) => compareRank(values[a * steps + s]!, values[b * steps + s]!, isTop),
      )
      for (const row of ranked) kept[row * steps + s] = 1
      if (s === 0) order.push(...ranked)
    }
  }
  const picked = { ...grid, present: kept }
  const first = new Set(order)
  for (let row = 0; row < grid.labels.length; row++) if (!first.has(row) && hasCell(picked, row)) order.push(row)
  return takeRows(picked, order)
}

/** Fewer places are filled by insertion; from here on a sort is cheaper. */
const PLACES_MAX = 32

/** HOT: once per row and step. The first `places` of the present rows in order; equal rows keep their order. */
function rank(
  rows: readonly number[],
  places: number,
  isThere: (row: number) => boolean,
  compare: (a: number, b: number) => number,
): number[] {
  if (places < 1) return []
  if (places > PLACES_MAX) return rows.filter(isThere).sort(compare).slice(0, places)
  const ranked: number[] = []
  for (const row of rows) {
    if (!isThere(row) || (ranked.length === places && compare(row, ranked[places - 1]!) >= 0)) continue
    let at = ranked.length === places ? places - 1 : ranked.length
    while (at > 0 && compare(row, ranked[at - 1]!) < 0) {
      ranked[at] = ranked[at - 1]!
      at--
    }
    ranked[at] = row
  }
  return ranked
}

/** Sorts in descending order for `topk`, ascending otherwise; NaN after all numbers. Equal values keep their order. */
export function compareRank(a: number, b: number, isDescending: boolean): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return isDescending ? b - a || 0 : a - b || 0
}

/** Some rows of a grid, in a given order. */
export function takeRows(grid: Grid, rows: readonly number[]): Grid {
  const { steps } = grid
  const values = new Float64Array(rows.length * steps)
  const present = new Uint8Array(rows.length * steps)
  rows.forEach((row, i) => {
    values.set(grid.values.subarray(row * steps, (row + 1) * steps), i * steps)
    present.set(grid.present.subarray(row * steps, (row + 1) * steps), i * steps)
  })
  const moved = gathered(
    grid.histograms,
    values.length,
    (cell) => rows[Math.floor(cell / steps)]! * steps + (cell % steps),
  )
  return { ...grid, labels: new PickedRows(grid.labels, rows), values, present, ...moved }
}

/** A parameter that counts series: NaN and numbers outside the integers are refused. */
export function wholeParameter(value: number): number {
  if (Number.isNaN(value)) throw new FleetError('query_execution', 'Parameter value is NaN')
  if (Math.abs(value) >= 2 ** 63) throw new FleetError('query_execution', `Scalar value ${value} overflows int64`)
  return Math.trunc(value)
}
