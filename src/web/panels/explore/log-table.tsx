import type { ReactNode } from 'react'
import { ListLine } from '../../ui/list-line.tsx'
import type { RowPlace } from '../../ui/virtual-row.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'
import styles from './log-table.module.css'

interface LogTableProps {
  readonly label: string
  /** How many there are, with their noun. */
  readonly counted: string
  readonly count: number
  readonly hasOlder: boolean
  readonly onNeedMore: () => void
  /** Cells of the head after the first, which is the time. */
  readonly head: ReactNode
  readonly timeHead: string
  readonly renderRow: (index: number, place: RowPlace) => ReactNode
  /** Instead of the table, when nothing is left to be read. */
  readonly empty: ReactNode
}

/** A log, the newest first: older rows are read as they come into view, and nobody counts them before. */
export function LogTable(props: LogTableProps): ReactNode {
  const { label, counted, count, hasOlder, onNeedMore, head, timeHead, renderRow, empty } = props
  return (
    <>
      <ListLine
        count={
          <>
            {counted}
            {hasOlder ? ' read so far; there are older ones' : ' in this time'}
          </>
        }
      />
      {count === 0 && !hasOlder ? (
        empty
      ) : (
        <VirtualTable
          label={label}
          className={styles.root}
          loaded={count}
          total={count + (hasOlder ? 1 : 0)}
          onNeedMore={onNeedMore}
          head={
            <>
              <th scope="col" className={styles.time}>
                {timeHead}
              </th>
              {head}
            </>
          }
          renderRow={renderRow}
        />
      )}
    </>
  )
}
