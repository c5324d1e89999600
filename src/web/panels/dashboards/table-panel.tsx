import { useRef, useState } from 'react'
import type { CSSProperties, ReactNode } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { Format, TableOptions } from '../../../model/dashboard.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import type { Beholder } from '../../lib/dashboards/format-unit.ts'
import { interpolateText } from '../../lib/dashboards/interpolate.ts'
import type { VariableValues } from '../../lib/dashboards/interpolate.ts'
import { columnsOf, filtered, ordered, settingOf, usualOrder } from '../../lib/dashboards/table.ts'
import type { Cell, Order, TableColumn, TableRow } from '../../lib/dashboards/table.ts'
import { toneOfColor } from '../../lib/dashboards/tone.ts'
import { countOf, formatValue } from '../../lib/format-number.ts'
import { toneText, toneWash, ToneMark } from '../../ui/tone-mark.tsx'
import { TextLink } from './text-link.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './table-panel.module.css'

interface TablePanelProps {
  readonly title: string
  readonly rows: readonly TableRow[]
  readonly options: Pick<TableOptions, 'columns' | 'isColumnHidden' | 'cells' | 'density' | 'canFilter'> &
    Partial<Pick<TableOptions, 'columnWidth' | 'rowHeight' | 'actions'>>
  readonly values: VariableValues
  readonly beholder: Beholder
  /** What a cell shows instead of its text; `undefined`: its text. */
  readonly renderCell?: (row: TableRow, column: string, text: string) => ReactNode
}

/** Longer tables draw only what can be seen. */
const DRAWN_WHOLE_MAX = 200
const ROW_PX = { compact: 25, standard: 31, comfortable: 40 } as const
const OVERSCAN = 12

/** Rows with sorting, a search where the file wants one, and cells that say what they mean. */
export function TablePanel({ title, rows, options, values, beholder, renderCell }: TablePanelProps): ReactNode {
  const [chosen, setChosen] = useState<Order | undefined>()
  const [text, setText] = useState('')
  const columns = columnsOf(rows, options)
  const order = chosen ?? usualOrder(options)
  const shown = ordered(filtered(rows, text), order)
  return (
    <>
      {options.canFilter ? (
        <p className={`row rigid text-small ${styles.filter}`}>
          <input
            type="search"
            className="field"
            aria-label={`Find in ${title}`}
            placeholder="Find"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
            }}
          />
          <span className="quiet nums" role="status">
            {shown.length === rows.length
              ? countOf(rows.length, 'row')
              : `${shown.length} of ${countOf(rows.length, 'row')}`}
          </span>
        </p>
      ) : null}
      <Rows
        title={title}
        rows={shown}
        columns={columns}
        order={order}
        onOrder={setChosen}
        options={options}
        values={values}
        beholder={beholder}
        renderCell={renderCell}
      />
      <Actions actions={options.actions ?? []} />
    </>
  )
}

/** What the file would have done with a row: nothing is sent from here to anybody else. */
function Actions({ actions }: { readonly actions: TableOptions['actions'] }): ReactNode {
  if (actions.length === 0) return null
  const said = actions.map(({ name, url }) => (url === '' ? name : `${name} (${url})`)).join(', ')
  return (
    <p className="quiet text-tiny one-line rigid" title={said}>
      {countOf(actions.length, 'action')} of the file {actions.length === 1 ? 'is' : 'are'} not done here: {said}
    </p>
  )
}

interface RowsProps extends Omit<TablePanelProps, 'rows' | 'renderCell'> {
  readonly renderCell: TablePanelProps['renderCell']
  readonly rows: readonly TableRow[]
  readonly columns: readonly TableColumn[]
  readonly order: Order | undefined
  readonly onOrder: (order: Order) => void
}

function Rows(props: RowsProps): ReactNode {
  const { title, rows, columns, order, onOrder, options, values, beholder, renderCell } = props
  const scroller = useRef<HTMLDivElement>(null)
  const isVirtual = rows.length > DRAWN_WHOLE_MAX
  // No row is lower than what stands in it.
  const rowPx = Math.max(ROW_PX[options.density], options.rowHeight ?? 0)
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
    <div ref={scroller} className="fills scrolls" tabIndex={0} role="group" aria-label={`Table of ${title}`}>
      <table
        className={classNames(
          'text-small',
          styles.root,
          options.density === 'compact' && styles.compact,
          options.density === 'comfortable' && styles.comfortable,
        )}
        aria-label={title}
        aria-rowcount={rows.length + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.name} column={column} width={options.columnWidth} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {from > 0 ? <Gap height={from * rowPx} columns={columns.length} /> : null}
          {rows.slice(from, to).map((row, i) => (
            <tr
              key={from + i}
              aria-rowindex={from + i + 2}
              {...(options.rowHeight === undefined ? {} : { style: { blockSize: `${rowPx}px` } })}
            >
              {columns.map((column) => (
                <BodyCell
                  key={column.name}
                  row={row}
                  column={column}
                  options={options}
                  values={values}
                  beholder={beholder}
                  renderCell={renderCell}
                />
              ))}
            </tr>
          ))}
          {to < rows.length ? <Gap height={(rows.length - to) * rowPx} columns={columns.length} /> : null}
        </tbody>
      </table>
    </div>
  )
}

/** Rows that are not drawn take their room. */
function Gap({ height, columns }: { readonly height: number; readonly columns: number }): ReactNode {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ blockSize: `${height}px`, padding: 0 }} />
    </tr>
  )
}

interface HeadProps {
  readonly column: TableColumn
  /** Pixels, where the column does not say it. */
  readonly width: number | undefined
  readonly order: Order | undefined
  readonly onOrder: (order: Order) => void
}

function Head({ column, width: usualWidth, order, onOrder }: HeadProps): ReactNode {
  const { name, header, setting, align } = column
  const isChosen = order?.column === name
  const canSort = setting?.canSort ?? true
  const sort = isChosen ? (order.direction === 'asc' ? 'ascending' : 'descending') : 'none'
  return (
    <th
      scope="col"
      style={styleOf(align, setting?.width ?? usualWidth)}
      title={setting?.headerDescription === '' ? undefined : setting?.headerDescription}
      {...(canSort ? { 'aria-sort': sort } : {})}
    >
      {canSort ? (
        <button
          type="button"
          className={styles.sort}
          onClick={() => {
            const isDown = isChosen ? order.direction === 'asc' : align === 'right'
            onOrder({ column: name, direction: isDown ? 'desc' : 'asc' })
          }}
        >
          {header}
          <span aria-hidden="true">{isChosen ? (order.direction === 'asc' ? ' ↑' : ' ↓') : ''}</span>
        </button>
      ) : (
        header
      )}
    </th>
  )
}

/** Text is on the same side in the head and in the cells; the head has the width. */
function styleOf(align: TableColumn['align'], widthPx?: number): CSSProperties {
  return { textAlign: align, ...(widthPx === undefined ? {} : { inlineSize: `${widthPx}px` }) }
}

interface BodyCellProps extends Pick<RowsProps, 'options' | 'values' | 'beholder' | 'renderCell'> {
  readonly row: TableRow
  readonly column: TableColumn
}

function BodyCell({ row, column, options, values, beholder, renderCell }: BodyCellProps): ReactNode {
  const cell = row[column.name] ?? null
  const { setting } = column
  const met = settingOf(cell, setting, options.cells)
  const text = met?.text ?? cellText(cell, column.name, setting?.format, beholder)
  const tone = toneOfColor(met?.textColor || met?.backgroundColor || '')
  const isWashed = (met?.backgroundColor ?? '') !== '' && tone !== 'none'
  const exact = typeof cell === 'number' ? formatValue(cell) : (cell ?? 'no value')
  const shown = `${met?.prefix ?? ''}${text}${met?.suffix ?? ''}`
  return (
    <td
      className={classNames(typeof cell === 'number' && 'nums', isWashed && toneWash(tone), toneText(tone))}
      style={styleOf(column.align)}
      title={setting?.cellDescription || exact}
    >
      {tone === 'none' ? null : <ToneMark mark={{ tone, word: '' }} />}
      {renderCell?.(row, column.name, shown) ??
        (setting?.link === undefined ? (
          shown
        ) : (
          <TextLink
            href={linkOf(setting.link.url, row, values)}
            title={linkTitle(setting.link.title, row, values)}
            opensTab={setting.link.opensTab}
          >
            {shown}
          </TextLink>
        ))}
    </td>
  )
}

function cellText(cell: Cell, name: string, format: Format | undefined, beholder: Beholder): string {
  if (cell === null) return '–'
  if (typeof cell === 'string') return cell
  if (format === undefined && name === 'timestamp') return formatUnit(cell, { unit: 'datetime-local' }, beholder)
  return formatUnit(cell, format, beholder)
}

const FIELD = /\$\{__data\.fields\["([^"]+)"\]\}/g

/** `${__data.fields["cluster"]}` is a cell of the row; other variables are the dashboard's. */
function linkOf(url: string, row: TableRow, values: VariableValues): string {
  const filled = url.replace(FIELD, (_use, name: string) => encodeURIComponent(String(row[name] ?? '')))
  return interpolateText(filled, values, 'percentencode')
}

function linkTitle(title: string, row: TableRow, values: VariableValues): string {
  return interpolateText(
    title.replace(FIELD, (_use, name: string) => String(row[name] ?? '')),
    values,
  )
}
