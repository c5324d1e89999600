import { memo, type ReactNode } from 'react'
import { HeadCells, RowCells, type Column, type DataTableProps } from './data-table.tsx'
import { VirtualRow, type RowPlace } from './virtual-row.tsx'
import { VirtualTable, type VirtualRows } from './virtual-table.tsx'

type VirtualDataTableProps<Row, Sort extends string> = VirtualRows &
  Pick<DataTableProps<Row, Sort>, 'label' | 'columns' | 'rowKey' | 'rowClass' | 'sort' | 'onSort' | 'className'> & {
    readonly rows: readonly Row[]
    /** In the head of the first column, instead of its own: what changes with the rows must not be in `columns`. */
    readonly firstHead?: ReactNode
  }

/**
 * A `DataTable` for lists of the whole fleet: only the rows in view are drawn, and rows that are missing are asked for as
 * they come into view. All columns but one have a width as `style`, because head and rows are laid out each by itself. When
 * `columns` is another array, all rows are rendered again.
 */
export function VirtualDataTable<Row, Sort extends string = never>(props: VirtualDataTableProps<Row, Sort>): ReactNode {
  const { columns, rows, firstHead, rowKey, rowClass, sort, onSort, ...virtual } = props
  const heads =
    firstHead === undefined ? columns : columns.with(0, { ...columns[0]!, head: firstHead, isHeadHidden: false })
  return (
    <VirtualTable
      {...virtual}
      loaded={rows.length}
      head={<HeadCells columns={heads} {...(sort === undefined || onSort === undefined ? {} : { sort, onSort })} />}
      renderRow={(index, place) => {
        const row = rows[index]!
        const className = rowClass?.(row) || undefined
        return <DataRow key={rowKey(row, index)} {...place} row={row} columns={columns} className={className} />
      }}
    />
  )
}

interface DataRowProps<Row, Sort extends string> extends RowPlace {
  readonly row: Row
  readonly columns: readonly Column<Row, Sort>[]
  readonly className: string | undefined
}

function PlainDataRow<Row, Sort extends string>(props: DataRowProps<Row, Sort>): ReactNode {
  const { row, columns, className, ...place } = props
  return (
    <VirtualRow {...place} className={className}>
      <RowCells columns={columns} row={row} index={place.index} />
    </VirtualRow>
  )
}

/** Kept as it is while nothing of it changes. Scrolling renders the rows alone, so their columns are the same then. */
const DataRow = memo(PlainDataRow) as typeof PlainDataRow
