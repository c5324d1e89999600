import { PickedRows, type LabelRows } from '../../model/label-rows.ts'
import { METRIC_NAME } from '../../model/labels.ts'
import type { Grid } from './grid.ts'
import type { GroupColumn, Grouping, RowGroups } from './row-cache.ts'

/** Groups rows by some of their labels. */
export interface Groups {
  /** The group of each row; there may be more entries than rows. */
  readonly ids: Int32Array
  /** The labels of each group; some groups may have no row. */
  readonly labels: LabelRows
  /** No group has a metric name. */
  readonly areNameless: boolean
}

/** The rows of each group. */
export function membersOf({ labels: rows }: Grid, { ids, labels }: Groups): number[][] {
  const members: number[][] = Array.from({ length: labels.length }, () => [])
  for (let row = 0; row < rows.length; row++) members[ids[row]!]!.push(row)
  return members
}

/** Selected rows are grouped separately when they are less than this share of the rows that they were selected from. */
const SPARSE_SHARE = 1 / 4

/** Groups for `by (names)` or `without (names)`. `without` also drops the metric name. */
export function groupRows(grid: Grid, names: readonly string[], isWithout: boolean, cache: RowGroups): Groups {
  const { column, ids } = numberRows(grid, names, isWithout, cache)
  return { ids, labels: column.list, areNameless: isWithout || grid.isNameless || !names.includes(METRIC_NAME) }
}

/** A column of groups, and the group of each row of a grid; `ids` may have more entries than there are rows. */
export function numberRows(
  grid: Grid,
  names: readonly string[],
  isWithout: boolean,
  cache: RowGroups,
): { readonly column: GroupColumn; readonly ids: Int32Array } {
  const grouping = groupingOf(grid, names, isWithout)
  const { labels } = grid
  if (!(labels instanceof PickedRows) || labels.length < labels.base.length * SPARSE_SHARE) {
    const column = cache.groups(labels, grouping)
    return { column, ids: column.ids }
  }
  const column = cache.groups(labels.base, grouping)
  const ids = new Int32Array(labels.length)
  for (let row = 0; row < ids.length; row++) ids[row] = column.ids[labels.places[row]!]!
  return { column, ids }
}

type GroupingOf = Record<'by' | 'byNameless' | 'without', Grouping | undefined>

/** By the list of names, which lives as long as its tree. */
const knownGroupings = new WeakMap<readonly string[], GroupingOf>()

function groupingOf({ isNameless }: Grid, names: readonly string[], isWithout: boolean): Grouping {
  let known = knownGroupings.get(names)
  if (known === undefined) {
    known = { by: undefined, byNameless: undefined, without: undefined }
    knownGroupings.set(names, known)
  }
  if (isWithout) return (known.without ??= groupingWithout(names))
  if (!isNameless) return (known.by ??= groupingBy(names))
  return (known.byNameless ??= groupingBy(names.filter((name) => name !== METRIC_NAME)))
}

function groupingWithout(names: readonly string[]): Grouping {
  const dropped = new Set([...names, METRIC_NAME])
  return {
    key: JSON.stringify([1, ...names]),
    textOf: (rows, row) => textWithout(rows, row, dropped),
    labelsOf: (rows, row) => rows.at(row).drop(dropped),
  }
}

/**
 * HOT: one string per row. Equal strings mean equal labels; for the common case of one label it is that label's value.
 */
function groupingBy(kept: readonly string[]): Grouping {
  const keptSet = new Set(kept)
  const [only] = kept
  return {
    key: JSON.stringify([0, ...kept]),
    textOf:
      only === undefined
        ? () => ''
        : kept.length === 1
          ? (rows, row) => rows.valueAt(row, only)
          : (rows, row) => kept.map((name) => rows.valueAt(row, name)).join('\u0000'),
    labelsOf: (rows, row) => rows.at(row).keep(keptSet),
  }
}

/** All labels except some. */
function textWithout(rows: LabelRows, row: number, dropped: ReadonlySet<string>): string {
  const { flat } = rows.at(row)
  let key = ''
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i]!
    if (!dropped.has(name)) key += `${name}\u0000${flat[i + 1]!}\u0000`
  }
  return key
}
