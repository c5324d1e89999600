import { useRef, type ReactNode } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { classNames } from './class-names.ts'
import { HeadCells, RowCells, type DataTableProps } from './data-table.tsx'
import styles from './scrolling-data-table.module.css'

interface ScrollingDataTableProps<Row, Sort extends string> extends Pick<
  DataTableProps<Row, Sort>,
  'label' | 'columns' | 'sort' | 'onSort' | 'className'
> {
  readonly rows: readonly Row[]
  /** Pixels: the height of every row, at least. */
  readonly rowPx: number
  /** Rows have exactly that height where they need no more. */
  readonly isRowPxSet?: boolean
}

/** Longer tables draw the rows in view only. */
const DRAWN_WHOLE_MAX = 200
const OVERSCAN = 12

/** A `DataTable` that scrolls in its own box, below a head that stays, such as the table panel of a dashboard. */
export function ScrollingDataTable<Row, Sort extends string = never>(
  props: ScrollingDataTableProps<Row, Sort>,
): ReactNode {
  const { label, columns, rows, sort, onSort, className, rowPx, isRowPxSet = false } = props
  const scroller = useRef<HTMLDivElement>(null)
  const isVirtual = rows.length > DRAWN_WHOLE_MAX
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing below is memoized with what it returns
  const virtualizer = useVirtualizer({
    count: isVirtual ? rows.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
  })
  const items = virtualizer.getVirtualItems()
  const [from, to] = isVirtual ? [items[0]?.index ?? 0, (items.at(-1)?.index ?? -1) + 1] : [0, rows.length]
  return (
    <div ref={scroller} className="fills scrolls" tabIndex={0} role="group" aria-label={`Table of ${label}`}>
      <table
        className={classNames('text-small whole-width', styles.root, className)}
        aria-label={label}
        aria-rowcount={rows.length + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            <HeadCells columns={columns} {...(sort === undefined || onSort === undefined ? {} : { sort, onSort })} />
          </tr>
        </thead>
        <tbody>
          {from > 0 ? <Gap heightPx={from * rowPx} columns={columns.length} /> : null}
          {rows.slice(from, to).map((row, i) => (
            <tr
              key={from + i}
              aria-rowindex={from + i + 2}
              {...(isRowPxSet ? { style: { blockSize: `${rowPx}px` } } : {})}
            >
              <RowCells columns={columns} row={row} index={from + i} />
            </tr>
          ))}
          {to < rows.length ? <Gap heightPx={(rows.length - to) * rowPx} columns={columns.length} /> : null}
        </tbody>
      </table>
    </div>
  )
}

/** The height of the rows that are not drawn. */
function Gap({ heightPx, columns }: { readonly heightPx: number; readonly columns: number }): ReactNode {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ blockSize: `${heightPx}px`, padding: 0 }} />
    </tr>
  )
}
