import { useState, type CSSProperties, type ReactNode } from 'react'
import type { Format, TableOptions } from '../../../model/dashboard.ts'
import { formatUnit, type FormatContext } from '../../lib/dashboards/format-unit.ts'
import { interpolateText, type VariableValues } from '../../lib/dashboards/interpolate.ts'
import {
  columnsOf,
  filtered,
  ordered,
  settingOf,
  defaultOrder,
  type Cell,
  type Order,
  type TableColumn,
  type TableRow,
} from '../../lib/dashboards/table.ts'
import { toneOfColor } from '../../lib/dashboards/tone.ts'
import { countOf, formatValue } from '../../lib/format-number.ts'
import { classNames } from '../../ui/class-names.ts'
import type { Column } from '../../ui/data-table.tsx'
import { valueTo } from '../../ui/form-events.ts'
import { ScrollingDataTable } from '../../ui/scrolling-data-table.tsx'
import { toneText, toneWash, ToneMark } from '../../ui/tone-mark.tsx'
import styles from './table-panel.module.css'
import { TextLink } from './text-link.tsx'

interface TablePanelProps {
  readonly title: string
  readonly rows: readonly TableRow[]
  readonly options: Pick<TableOptions, 'columns' | 'isColumnHidden' | 'cells' | 'density' | 'canFilter'> &
    Partial<Pick<TableOptions, 'columnWidth' | 'rowHeight' | 'actions'>>
  readonly values: VariableValues
  readonly formatContext: FormatContext
  /** The content of a cell instead of its text; `undefined`: its text. */
  readonly renderCell?: (row: TableRow, column: string, text: string) => ReactNode
}

const ROW_PX = { compact: 25, standard: 31, comfortable: 40 } as const

/** Rows with sorting, a search where the file has one, and cells with the settings of the file. */
export function TablePanel(props: TablePanelProps): ReactNode {
  const { title, rows, options } = props
  const { density, rowHeight } = options
  const [chosen, setChosen] = useState<Order | undefined>()
  const [text, setText] = useState('')
  const order = chosen ?? defaultOrder(options)
  const shown = ordered(filtered(rows, text), order)
  const columns = columnsOf(rows, options)
  const sortBy = (column: string): void => {
    const isDown =
      order?.column === column
        ? order.direction === 'asc'
        : columns.find(({ name }) => name === column)?.align === 'right'
    setChosen({ column, direction: isDown ? 'desc' : 'asc' })
  }
  return (
    <>
      {options.canFilter ? (
        <p className={`row rigid text-small ${styles.filter}`}>
          <input
            type="search"
            className="control"
            aria-label={`Find in ${title}`}
            placeholder="Find"
            value={text}
            onChange={valueTo(setText)}
          />
          <span className="quiet nums" role="status">
            {shown.length === rows.length
              ? countOf(rows.length, 'row')
              : `${shown.length} of ${countOf(rows.length, 'row')}`}
          </span>
        </p>
      ) : null}
      <ScrollingDataTable
        label={title}
        className={classNames(
          styles.root,
          density === 'compact' && styles.compact,
          density === 'comfortable' && styles.comfortable,
        )}
        columns={columns.map((column) => columnOf(column, props))}
        rows={shown}
        // No row is lower than its content.
        rowPx={Math.max(ROW_PX[density], rowHeight ?? 0)}
        isRowPxSet={rowHeight !== undefined}
        sort={{ sort: order?.column ?? '', order: order?.direction ?? 'asc' }}
        onSort={sortBy}
      />
      <Actions actions={options.actions ?? []} />
    </>
  )
}

/** The actions of the file. Daytwo does not run them: it sends nothing to other systems. */
function Actions({ actions }: { readonly actions: TableOptions['actions'] }): ReactNode {
  if (actions.length === 0) return null
  const said = actions.map(({ name, url }) => (url === '' ? name : `${name} (${url})`)).join(', ')
  return (
    <p className="quiet text-tiny one-line rigid" title={said}>
      {countOf(actions.length, 'action')} of the file {actions.length === 1 ? 'is' : 'are'} not supported: {said}
    </p>
  )
}

/** A column with the settings of the file: alignment, width, format, links and cell styles. */
function columnOf(
  { name, header, setting, align }: TableColumn,
  { options, values, formatContext, renderCell }: TablePanelProps,
): Column<TableRow, string> {
  const widthPx = setting?.width ?? options.columnWidth
  const style: CSSProperties = { textAlign: align, ...(widthPx === undefined ? {} : { inlineSize: `${widthPx}px` }) }
  const shownOf = (row: TableRow): CellShown =>
    cellShown(row[name] ?? null, name, setting, options.cells, formatContext)
  return {
    id: name,
    head: header,
    style,
    ...(setting === undefined || setting.headerDescription === '' ? {} : { headTitle: setting.headerDescription }),
    ...((setting?.canSort ?? true) ? { sort: name } : {}),
    cellClass: (row) => shownOf(row).className,
    title: (row) => setting?.cellDescription || exactText(row[name] ?? null),
    cell: (row) => {
      const { tone, text } = shownOf(row)
      return (
        <>
          {tone === 'none' ? null : <ToneMark mark={{ tone, word: '' }} />}
          {renderCell?.(row, name, text) ?? (
            <CellLink link={setting?.link} row={row} values={values}>
              {text}
            </CellLink>
          )}
        </>
      )
    },
  }
}

interface CellShown {
  readonly text: string
  readonly tone: ReturnType<typeof toneOfColor>
  readonly className: string
}

function cellShown(
  cell: Cell,
  name: string,
  setting: TableColumn['setting'],
  cells: TableOptions['cells'],
  formatContext: FormatContext,
): CellShown {
  const met = settingOf(cell, setting, cells)
  const text = met?.text ?? cellText(cell, name, setting?.format, formatContext)
  const tone = toneOfColor(met?.textColor || met?.backgroundColor || '')
  const isWashed = (met?.backgroundColor ?? '') !== ''
  return {
    text: `${met?.prefix ?? ''}${text}${met?.suffix ?? ''}`,
    tone,
    className: classNames(typeof cell === 'number' && 'nums', isWashed && toneWash(tone), toneText(tone)),
  }
}

function exactText(cell: Cell): string {
  return typeof cell === 'number' ? formatValue(cell) : (cell ?? 'no value')
}

function cellText(cell: Cell, name: string, format: Format | undefined, formatContext: FormatContext): string {
  if (cell === null) return '–'
  if (typeof cell === 'string') return cell
  if (format === undefined && name === 'timestamp') return formatUnit(cell, { unit: 'datetime-local' }, formatContext)
  return formatUnit(cell, format, formatContext)
}

interface CellLinkProps {
  readonly link: NonNullable<TableColumn['setting']>['link']
  readonly row: TableRow
  readonly values: VariableValues
  readonly children: string
}

const FIELD = /\$\{__data\.fields\["([^"]+)"\]\}/g

/** The link of a column: `${__data.fields["cluster"]}` is a cell of the row; other variables are the dashboard's. */
function CellLink({ link, row, values, children }: CellLinkProps): ReactNode {
  if (link === undefined) return children
  const field = (name: string): string => String(row[name] ?? '')
  const url = link.url.replace(FIELD, (_use, name: string) => encodeURIComponent(field(name)))
  const title = link.title.replace(FIELD, (_use, name: string) => field(name))
  return (
    <TextLink
      href={interpolateText(url, values, 'percentencode')}
      title={interpolateText(title, values)}
      opensTab={link.opensTab}
    >
      {children}
    </TextLink>
  )
}
