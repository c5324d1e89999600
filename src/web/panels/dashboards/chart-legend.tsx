import { useState, type ReactNode } from 'react'
import type { Calculation, Legend } from '../../../model/dashboard.ts'
import { CALCULATION_WORDS, calculate, type Column as Values } from '../../lib/dashboards/calculate.ts'
import { countOf } from '../../lib/format-number.ts'
import { cssColor, type ColorToken } from '../../lib/palette.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './chart-legend.module.css'
import { DataTable, type Column } from '../../ui/data-table.tsx'

export interface LegendLine {
  readonly key: string
  readonly name: string
  /** Its place among all lines. */
  readonly look: number
  readonly color: ColorToken
  /** Lengths in pixels. */
  readonly dashes: readonly number[]
  readonly values: Values
  readonly write: (value: number) => string
  readonly isHidden: boolean
}

interface ChartLegendProps {
  readonly lines: readonly LegendLine[]
  readonly legend: Legend
  /** Shows one alone, or all again when it was alone. */
  readonly onToggle: (key: string, isAlone: boolean) => void
}

/** Lines that are listed; a longer list is unreadable, and the table of the panel has all of them. */
const LINES_MAX = { list: 24, table: 60 } as const

/** The lines of a chart by name. Pressing one shows it alone, with Ctrl or Shift it is shown or hidden beside the others. */
export function ChartLegend(props: ChartLegendProps): ReactNode {
  return props.legend.mode === 'table' ? (
    <LegendTable {...props} />
  ) : (
    <ul className={classNames('row scrolls text-tiny rigid', styles.list, placeOf(props.legend))}>
      {props.lines.slice(0, LINES_MAX.list).map((line) => (
        <li key={line.key}>
          <LineButton line={line} onToggle={props.onToggle} />
        </li>
      ))}
      {props.lines.length > LINES_MAX.list ? (
        <li className="quiet">and {props.lines.length - LINES_MAX.list} more</li>
      ) : null}
    </ul>
  )
}

/** The sort key of the names; the other columns have the name of their calculation. */
const NAMES = 'name'

function LegendTable({ lines, legend, onToggle }: ChartLegendProps): ReactNode {
  const [order, setOrder] = useState<LegendOrder>()
  const rows = lines.map((line) => ({ line, values: legend.values.map((one) => calculate(line.values, one)) }))
  if (order !== undefined) {
    const column = order.sort === NAMES ? -1 : legend.values.indexOf(order.sort)
    const sign = order.order === 'asc' ? 1 : -1
    rows.sort((a, b) =>
      column === -1
        ? sign * (a.line.name < b.line.name ? -1 : 1)
        : sign * ((a.values[column] ?? -Infinity) - (b.values[column] ?? -Infinity) || 0),
    )
  }
  const columns: readonly Column<(typeof rows)[number], LegendOrder['sort']>[] = [
    {
      id: NAMES,
      head: 'series',
      sort: NAMES,
      cell: ({ line }) => <LineButton line={line} onToggle={onToggle} />,
    },
    ...legend.values.map((value, i) => ({
      id: value,
      head: CALCULATION_WORDS[value],
      kind: 'number' as const,
      sort: value,
      cell: ({ line, values }: (typeof rows)[number]) => {
        const number = values[i] ?? null
        return number === null ? '–' : line.write(number)
      },
    })),
  ]
  return (
    <div
      className={classNames('scrolls text-tiny rigid', styles.table, placeOf(legend))}
      tabIndex={0}
      role="group"
      aria-label="Legend"
    >
      <DataTable
        label="Lines"
        look="prose"
        columns={columns}
        rows={rows.slice(0, LINES_MAX.table)}
        rowKey={({ line }) => line.key}
        sort={order ?? UNSORTED}
        onSort={(sort) => {
          const isTurned = order?.sort === sort ? order.order === 'desc' : sort === NAMES
          setOrder({ sort, order: isTurned ? 'asc' : 'desc' })
        }}
      />
      {rows.length > LINES_MAX.table ? (
        <p className="quiet">
          and {countOf(rows.length - LINES_MAX.table, 'more line', 'more lines')}: the head of a column sorts all of
          them
        </p>
      ) : null}
    </div>
  )
}

interface LegendOrder {
  readonly sort: Calculation | typeof NAMES
  readonly order: 'asc' | 'desc'
}

/** The lines are in the order of the answer: no column is sorted. */
const UNSORTED = { sort: '' as LegendOrder['sort'], order: 'asc' } as const

function LineButton({
  line,
  onToggle,
}: {
  readonly line: LegendLine
  readonly onToggle: ChartLegendProps['onToggle']
}): ReactNode {
  return (
    <button
      type="button"
      className={`plain-button inline-row ${styles.line}`}
      aria-pressed={!line.isHidden}
      title={line.name}
      onClick={(event) => {
        onToggle(line.key, !event.ctrlKey && !event.metaKey && !event.shiftKey)
      }}
    >
      <LineSwatch line={line} />
      <span className="one-line">{line.name}</span>
    </button>
  )
}

/** The classes of a legend at its place and in its size. */
function placeOf({ position, size }: Legend): string {
  return classNames(position === 'right' && styles.isRight, size === 'small' && styles.small)
}

/** How a line is drawn. */
export function LineSwatch({ line: { color, dashes } }: { readonly line: LegendLine }): ReactNode {
  return (
    <svg className={styles.swatch} stroke={cssColor(color)} viewBox="0 0 22 8" aria-hidden="true">
      <path d="M1 4h20" strokeDasharray={dashes.join(' ')} />
    </svg>
  )
}
