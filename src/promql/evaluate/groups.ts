import type { Labels } from '../../model/labels.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { Grid } from './grid.ts'

/** Rows sorted into groups by some of their labels. Numbers are given in the order in which groups are first met. */
export interface Groups {
  /** The group of each row. */
  readonly ids: Int32Array
  /** The labels of each group. */
  readonly labels: readonly Labels[]
}

/** Groups for `by (names)` or `without (names)`. `without` takes the metric's name away too. */
export function groupRows(grid: Grid, names: readonly string[], isWithout: boolean): Groups {
  const ids = new Int32Array(grid.labels.length)
  const labels: Labels[] = []
  const known = new Map<string, number>()
  const listed = new Set(isWithout ? [...names, METRIC_NAME] : names)
  if (!isWithout && grid.isNameless) listed.delete(METRIC_NAME)
  const labelsFor = (row: number): Labels => {
    const all = grid.labels[row]!
    return isWithout ? all.drop(listed) : all.keep(listed)
  }
  const keyFor = keyMaker(grid, names, isWithout)
  for (let row = 0; row < ids.length; row++) {
    const key = keyFor(row)
    let id = known.get(key)
    if (id === undefined) {
      id = labels.length
      known.set(key, id)
      labels.push(labelsFor(row))
    }
    ids[row] = id
  }
  return { ids, labels }
}

/** HOT: one string per row. Equal strings mean equal labels; the common case of one label is that label's value. */
export function keyMaker(grid: Grid, names: readonly string[], isWithout: boolean): (row: number) => string {
  if (isWithout) return (row) => keyWithout(grid.labels[row]!, names)
  const kept = grid.isNameless ? names.filter((name) => name !== METRIC_NAME) : names
  if (kept.length === 0) return () => ''
  if (kept.length === 1) {
    const name = kept[0]!
    return (row) => grid.labels[row]!.get(name)
  }
  return (row) => {
    const labels = grid.labels[row]!
    let key = ''
    for (const name of kept) key += `${labels.get(name)}\u0000`
    return key
  }
}

/** All labels but the named ones and the metric's name. */
function keyWithout({ flat }: Labels, names: readonly string[]): string {
  let key = ''
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i]!
    if (name !== METRIC_NAME && !names.includes(name)) key += `${name}\u0000${flat[i + 1]!}\u0000`
  }
  return key
}
