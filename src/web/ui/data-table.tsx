import type { CSSProperties, ReactNode } from 'react'
import { Button } from './button.tsx'
import { csvText } from '../lib/csv.ts'
import { classNames } from './class-names.ts'
import { Notice } from './notice.tsx'
import { saveFile } from './save-file.ts'
import { Skeleton } from './skeleton.tsx'
import { SortHead } from './sort-head.tsx'

/**
 * The one table of the pages: columns over rows, with sort, states and CSV. Lists of the whole fleet use
 * `VirtualDataTable` (`virtual-data-table.tsx`), which has the same columns and draws the rows in view only.
 */

/** A column, defined once for head, cells and CSV. Columns that depend on nothing are constants of their file. */
export interface Column<Row, Sort extends string = never> {
  /** Unique within the table; the head where left out, which is a text then. */
  readonly id?: string
  readonly head: ReactNode
  /** The head is read by screen readers and not drawn. */
  readonly isHeadHidden?: boolean
  /** On hover over the head. */
  readonly headTitle?: string
  readonly cell: (row: Row, index: number) => ReactNode
  /**
   * `name`: what the row is about; its link has the attribute `data-row` where keys walk the rows. The head of the row where
   * the table is `prose`. `number`: at the end of the column, on one line, digits below digits. `text` by default.
   */
  readonly kind?: 'name' | 'number' | 'text'
  /** Of a `name`: a second line that stands in for the columns that are hidden on a phone. */
  readonly below?: (row: Row) => ReactNode
  /** The lines of `below` are one under the other, and not side by side. */
  readonly isBelowStacked?: boolean
  /** Hidden where the table is narrower than 46rem. */
  readonly isHiddenOnPhone?: boolean
  /** Stays on one line. */
  readonly isOneLine?: boolean
  /** On hover over the cell. */
  readonly title?: (row: Row) => string | undefined
  /** Classes of head and cells: the width of the column. */
  readonly className?: string | undefined
  /** Of head and cells, where a width or a side is known at run time only. */
  readonly style?: CSSProperties
  /** Classes of one cell. */
  readonly cellClass?: (row: Row) => string | undefined
  /** The name under which the table can be sorted by this column. */
  readonly sort?: Sort
  /** The cell in the CSV file; without it the file lacks the column. */
  readonly csv?: (row: Row) => string | number | null
}

export interface DataTableProps<Row, Sort extends string = never> {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row, Sort>[]
  /** `undefined`: not there yet, a skeleton stands for them. */
  readonly rows: readonly Row[] | undefined
  readonly rowKey: (row: Row, index: number) => string | number
  readonly rowClass?: (row: Row) => string | false | undefined
  /** The row under the pointer; `undefined` when it leaves. */
  readonly onRowHover?: (row: Row | undefined) => void
  /** What a row unfolds, over the whole width below it. */
  readonly detail?: (row: Row) => ReactNode
  /** The order as it stands in the address. */
  readonly sort?: { readonly sort: NoInfer<Sort>; readonly order: 'asc' | 'desc' }
  readonly onSort?: (sort: NoInfer<Sort>) => void
  /**
   * `plain`: inside a panel. `boxed`: a list that is the content of its page, with a border; columns hide by its own width.
   * `prose`: smaller, within text.
   */
  readonly look?: 'plain' | 'boxed' | 'prose'
  /** Above the head: what the rows are of, such as the day. */
  readonly caption?: ReactNode
  /** Wider than its place at times: scrolls by itself, also by keys. */
  readonly isScrollable?: boolean
  readonly className?: string | undefined
  /** Instead of a table without rows. */
  readonly empty?: ReactNode
  /** The rows could not be read. */
  readonly failure?: { readonly message: string; readonly onRetry: () => void } | undefined
  /** Offers the rows as a CSV file of this name, without its ending. */
  readonly csvName?: string
}

export function DataTable<Row, Sort extends string = never>(props: DataTableProps<Row, Sort>): ReactNode {
  const { label, columns, rows, failure, empty, look = 'plain', isScrollable = false, csvName } = props
  if (failure !== undefined) return <FailedTable label={label} {...failure} />
  if (rows === undefined) return <Skeleton lines={6} label={`Loading ${label}`} />
  if (rows.length === 0 && empty !== undefined) return empty
  const table = <TableOfRows {...props} rows={rows} />
  return (
    <>
      {isScrollable ? (
        <div className="table-scroll" tabIndex={0} role="group" aria-label={label}>
          {table}
        </div>
      ) : look === 'boxed' ? (
        <div className="table-box">{table}</div>
      ) : (
        table
      )}
      {csvName === undefined ? null : <CsvButton name={csvName} columns={columns} rows={rows} />}
    </>
  )
}

const LOOKS = { plain: 'data-table', boxed: 'data-table alert-table', prose: 'prose-table' } as const

function TableOfRows<Row, Sort extends string>(
  props: DataTableProps<Row, Sort> & { readonly rows: readonly Row[] },
): ReactNode {
  const { label, columns, rows, rowKey, rowClass, onRowHover, detail, look = 'plain', caption, className } = props
  return (
    <table className={classNames(LOOKS[look], className)} aria-label={label}>
      {caption === undefined ? null : <caption>{caption}</caption>}
      <thead>
        <tr>
          <HeadCells {...props} />
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const key = rowKey(row, index)
          const unfolded = detail?.(row)
          return [
            <tr
              key={key}
              className={rowClass?.(row) || undefined}
              onPointerEnter={
                onRowHover &&
                (() => {
                  onRowHover(row)
                })
              }
              onPointerLeave={
                onRowHover &&
                (() => {
                  onRowHover(undefined)
                })
              }
            >
              <RowCells columns={columns} row={row} index={index} isProse={look === 'prose'} />
            </tr>,
            unfolded === undefined || unfolded === null ? null : (
              <tr key={`${key} detail`}>
                <td colSpan={columns.length} className="cell-wraps">
                  {unfolded}
                </td>
              </tr>
            ),
          ]
        })}
      </tbody>
    </table>
  )
}

type HeadProps<Row, Sort extends string> = Pick<DataTableProps<Row, Sort>, 'columns' | 'sort' | 'onSort'>

/** The cells of the head; those of sorted tables are buttons. */
export function HeadCells<Row, Sort extends string>({ columns, sort, onSort }: HeadProps<Row, Sort>): ReactNode {
  return columns.map((column) => {
    const { head, headTitle, style } = column
    const id = idOf(column)
    const className = classOf(column) || undefined
    if (column.sort !== undefined && sort !== undefined && onSort !== undefined) {
      return (
        <SortHead
          key={id}
          sort={column.sort}
          current={sort}
          onSort={onSort}
          className={className}
          title={headTitle}
          style={style}
        >
          {head}
        </SortHead>
      )
    }
    return (
      <th key={id} scope="col" className={className} title={headTitle} style={style}>
        {column.isHeadHidden === true ? <span className="visually-hidden">{head}</span> : head}
      </th>
    )
  })
}

interface RowCellsProps<Row, Sort extends string> {
  readonly columns: readonly Column<Row, Sort>[]
  readonly row: Row
  readonly index: number
  readonly isProse?: boolean
}

export function RowCells<Row, Sort extends string>(props: RowCellsProps<Row, Sort>): ReactNode {
  const { columns, row, index, isProse = false } = props
  return columns.map((column) => {
    const { kind, cell, below, title, style } = column
    const id = idOf(column)
    const className =
      classNames(kind === 'name' && !isProse && 'cell-name', classOf(column), column.cellClass?.(row)) || undefined
    if (kind === 'name' && isProse) {
      return (
        <th key={id} scope="row" className={className} title={title?.(row)}>
          {cell(row, index)}
        </th>
      )
    }
    return (
      <td key={id} className={className} title={title?.(row)} style={style}>
        {cell(row, index)}
        {below === undefined ? null : (
          <span
            className={classNames(
              'cell-below',
              column.isBelowStacked === true && 'cell-below-block',
              column.isOneLine === true && 'cell-wraps',
            )}
          >
            {below(row)}
          </span>
        )}
      </td>
    )
  })
}

function idOf<Row>({ id, head }: Omit<Column<Row>, 'sort'>): string {
  return id ?? (head as string)
}

/** What head and cells share. */
function classOf<Row>({ kind, isHiddenOnPhone, isOneLine, className }: Omit<Column<Row>, 'sort'>): string {
  return classNames(
    kind === 'number' && 'cell-number',
    isHiddenOnPhone === true && 'cell-beside',
    isOneLine === true && 'cell-nowrap',
    className,
  )
}

interface FailedTableProps {
  readonly label: string
  readonly message: string
  readonly onRetry: () => void
}

function FailedTable({ label, message, onRetry }: FailedTableProps): ReactNode {
  return (
    <Notice
      kind="error"
      title={`Could not load ${label}`}
      actions={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {message}
    </Notice>
  )
}

interface CsvButtonProps<Row, Sort extends string> {
  readonly name: string
  readonly columns: readonly Column<Row, Sort>[]
  readonly rows: readonly Row[]
}

function CsvButton<Row, Sort extends string>({ name, columns, rows }: CsvButtonProps<Row, Sort>): ReactNode {
  return (
    <Button
      variant="link"
      size="sm"
      onClick={() => {
        saveFile(`${name}.csv`, tableCsv(columns, rows), 'text/csv')
      }}
    >
      CSV file
    </Button>
  )
}

/** The columns that have a `csv`, as a file. */
export function tableCsv<Row, Sort extends string>(
  columns: readonly Column<Row, Sort>[],
  rows: readonly Row[],
): string {
  const written = columns.flatMap((column) => {
    const { head, csv } = column
    return csv === undefined ? [] : [{ head: typeof head === 'string' ? head : idOf(column), csv }]
  })
  return csvText([
    written.map(({ head }) => head),
    ...rows.map((row) => written.map(({ csv }) => String(csv(row) ?? ''))),
  ])
}
