import type { CellSetting, ColumnSetting, TableOptions, Transform } from '../../../model/dashboard.ts'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { toRows } from './series.ts'
import { meets } from './tone.ts'

/**
 * The rows of a table panel. Columns are called as Perses calls them: `timestamp`, the labels, and `value`; with several
 * queries the labels and values carry the number of theirs (`value #2`), until a transform brings them together. Pure.
 */

export type Cell = number | string | null
export type TableRow = Readonly<Record<string, Cell>>

export function toTableRows(answers: readonly (QueryAnswer | undefined)[]): readonly TableRow[] {
  const isOne = answers.length === 1
  return answers.flatMap((answer, i) =>
    toRows(answer).map(({ labels, value, timeMs }) => {
      const named = (name: string): string => (isOne ? name : `${name} #${i + 1}`)
      const cells: Record<string, Cell> = { timestamp: timeMs }
      for (const [name, text] of Object.entries(labels)) cells[named(name)] = text
      cells[named('value')] = value
      return cells
    }),
  )
}

export function transformed(rows: readonly TableRow[], transforms: readonly Transform[]): readonly TableRow[] {
  return transforms.reduce(applyTransform, rows)
}

function applyTransform(rows: readonly TableRow[], transform: Transform): readonly TableRow[] {
  switch (transform.kind) {
    case 'JoinByColumnValue':
      return joined(rows, transform.columns)
    case 'MergeColumns':
      return gathered(rows, (name) => transform.columns.includes(name), transform.name)
    case 'MergeIndexedColumns':
      return gathered(rows, (name) => unindexed(name) === transform.column, transform.column)
    case 'MergeSeries':
      return mergedSeries(rows)
  }
}

/** Merges rows with the same values in these columns; the later value wins. */
function joined(rows: readonly TableRow[], columns: readonly string[]): readonly TableRow[] {
  if (columns.length === 0) return rows
  const byKey = new Map<string, TableRow>()
  for (const row of rows) {
    const key = JSON.stringify(columns.map((column) => row[column]))
    byKey.set(key, { ...byKey.get(key), ...row })
  }
  return [...byKey.values()]
}

/** Merges columns; a row with several of them becomes several rows. */
function gathered(rows: readonly TableRow[], isOne: (name: string) => boolean, into: string): readonly TableRow[] {
  return rows.flatMap((row) => {
    const names = Object.keys(row).filter(isOne)
    if (names.length === 0) return [row]
    const rest = Object.fromEntries(Object.entries(row).filter(([name]) => !isOne(name)))
    return names.map((name): TableRow => ({ ...rest, [into]: row[name] ?? null }))
  })
}

/** Merges series with the same labels; the value of each query has its own column. */
function mergedSeries(rows: readonly TableRow[]): readonly TableRow[] {
  const labels = [...new Set(rows.flatMap((row) => Object.keys(row).map(unindexed)))].filter((name) => name !== 'value')
  const renamed = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [unindexed(name) === 'value' ? name : unindexed(name), cell]),
    ),
  )
  return joined(
    renamed,
    // The timestamps of two instant queries may differ.
    labels.filter((name) => name !== 'timestamp'),
  )
}

function unindexed(name: string): string {
  return name.replace(/ #\d+$/, '')
}

export interface TableColumn {
  readonly name: string
  readonly header: string
  readonly setting: ColumnSetting | undefined
  readonly align: 'left' | 'center' | 'right'
}

/** Columns of the settings first, then the others by name; without hidden ones. */
export function columnsOf(
  rows: readonly TableRow[],
  { columns, isColumnHidden }: Pick<TableOptions, 'columns' | 'isColumnHidden'>,
): readonly TableColumn[] {
  const isNumeric = new Map<string, boolean>()
  for (const row of rows) {
    for (const [name, cell] of Object.entries(row)) {
      if (cell !== null) isNumeric.set(name, (isNumeric.get(name) ?? true) && typeof cell === 'number')
    }
  }
  const settings = new Map<string, ColumnSetting>()
  for (const setting of columns) if (!settings.has(setting.name)) settings.set(setting.name, setting)
  const others = [...isNumeric.keys()].filter((name) => !settings.has(name) && !isColumnHidden).sort()
  return [...settings.keys(), ...others].flatMap((name) => {
    const setting = settings.get(name)
    if (setting?.isHidden === true) return []
    const align = setting?.align ?? (isNumeric.get(name) === true && name !== 'timestamp' ? 'right' : 'left')
    return [{ name, header: setting?.header || name, setting, align }]
  })
}

/** A column without settings. */
export function plainColumn(name: string): ColumnSetting {
  return {
    name,
    header: '',
    headerDescription: '',
    cellDescription: '',
    align: undefined,
    canSort: true,
    sort: undefined,
    isHidden: false,
    width: undefined,
    format: undefined,
    cells: [],
    link: undefined,
  }
}

export interface Order {
  readonly column: string
  readonly direction: 'asc' | 'desc'
}

/** The order of the first column with one in the file. */
export function defaultOrder({ columns }: Pick<TableOptions, 'columns'>): Order | undefined {
  const first = columns.find(({ sort }) => sort !== undefined)
  return first?.sort === undefined ? undefined : { column: first.name, direction: first.sort }
}

/** Cells without a value last, whatever the direction. Equal rows keep their order. */
export function ordered(rows: readonly TableRow[], order: Order | undefined): readonly TableRow[] {
  if (order === undefined) return rows
  const sign = order.direction === 'asc' ? 1 : -1
  return [...rows].sort((a, b) => {
    const [left, right] = [a[order.column] ?? null, b[order.column] ?? null]
    const [hasLeft, hasRight] = [isSaid(left), isSaid(right)]
    if (!hasLeft || !hasRight) return Number(hasRight) - Number(hasLeft)
    return sign * compareCells(left, right)
  })
}

function isSaid(cell: Cell): boolean {
  return cell !== null && cell !== '' && !(typeof cell === 'number' && Number.isNaN(cell))
}

function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Rows with the text in a cell, in any case. */
export function filtered(rows: readonly TableRow[], text: string): readonly TableRow[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter((row) =>
    Object.values(row).some((cell) =>
      String(cell ?? '')
        .toLowerCase()
        .includes(wanted),
    ),
  )
}

/** The last matching setting, of the column before those of the table, as in Perses. */
export function settingOf(
  cell: Cell,
  column: ColumnSetting | undefined,
  table: readonly CellSetting[],
): CellSetting | undefined {
  const find = (settings: readonly CellSetting[]): CellSetting | undefined =>
    settings.findLast(({ condition }) => meets(condition, cell))
  return find(column?.cells ?? []) ?? find(table)
}
