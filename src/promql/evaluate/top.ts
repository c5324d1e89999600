import type { Grid } from './grid.ts'
import { hasCell } from './grid.ts'
import type { Groups } from './groups.ts'
import { wholeParameter } from './whole-parameter.ts'

/**
 * `topk` and `bottomk`: the k greatest or least of each group at each step, as they are. NaN comes last in both. Rows
 * come out in the order of the first step's ranking, group by group, which is the order of an instant query.
 */
export function selectTop(grid: Grid, groups: Groups, params: Float64Array, isTop: boolean): Grid {
  const { steps, values, present } = grid
  const limits = Array.from(params, wholeParameter)
  const members: number[][] = groups.labels.map(() => [])
  groups.ids.forEach((id, row) => members[id]!.push(row))
  const kept = new Uint8Array(present.length)
  const order: number[] = []
  for (const rows of members) {
    for (let s = 0; s < steps; s++) {
      const k = limits[s]!
      if (k < 1) continue
      const at = (row: number): number => values[row * steps + s]!
      const ranked = rows
        .filter((row) => present[row * steps + s] === 1)
        .sort((a, b) => compareRank(at(a), at(b), isTop))
        .slice(0, k)
      for (const row of ranked) kept[row * steps + s] = 1
      if (s === 0) order.push(...ranked)
    }
  }
  const picked = { ...grid, present: kept }
  const first = new Set(order)
  for (let row = 0; row < grid.labels.length; row++) if (!first.has(row) && hasCell(picked, row)) order.push(row)
  return takeRows(picked, order)
}

/** Sorts greatest first for `topk`, least first otherwise; NaN after all numbers. Equal values keep their order. */
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
  return { ...grid, labels: rows.map((row) => grid.labels[row]!), values, present }
}
