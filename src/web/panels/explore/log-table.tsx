import type { ReactNode } from 'react'
import type { Column } from '../../ui/data-table.tsx'
import { ListLine } from '../../ui/list-line.tsx'
import { Moment } from '../../ui/time.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import styles from './log-table.module.css'

export interface LogTableProps<Row> {
  readonly label: string
  /** The number of rows, with its noun. */
  readonly counted: string
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row, index: number) => string | number
  /** The columns after the time. Constant, or from `useMemo`. */
  readonly columns: readonly Column<Row>[]
  readonly hasOlder: boolean
  readonly onNeedMore: () => void
  /** Instead of the table, when nothing is left to be read. */
  readonly empty: ReactNode
}

/** A log, newest first: older rows are loaded as they come into view, so their number is unknown before. */
export function LogTable<Row>(props: LogTableProps<Row>): ReactNode {
  const { label, counted, rows, rowKey, columns, hasOlder, onNeedMore, empty } = props
  return (
    <>
      <ListLine count={`${counted}${hasOlder ? ' loaded; older ones exist' : ' in this range'}`} />
      {rows.length === 0 && !hasOlder ? (
        empty
      ) : (
        <VirtualDataTable
          label={label}
          className={styles.root}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          total={rows.length + (hasOlder ? 1 : 0)}
          onNeedMore={onNeedMore}
        />
      )}
    </>
  )
}

/** The first column of a log. */
export function timeColumn<Row>(head: string, timeOf: (row: Row) => string): Column<Row> {
  return {
    id: 'time',
    head,
    className: `nums ${styles.time}`,
    cell: (row) => <Moment atMs={Date.parse(timeOf(row))} />,
  }
}
