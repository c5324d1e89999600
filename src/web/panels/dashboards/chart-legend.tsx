import { useState } from 'react'
import type { ReactNode } from 'react'
import type { Calculation, Legend } from '../../../model/dashboard.ts'
import { CALCULATION_WORDS, calculate } from '../../lib/dashboards/calculate.ts'
import type { Column } from '../../lib/dashboards/calculate.ts'
import { countOf } from '../../lib/format-number.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './chart-legend.module.css'
import tableStyles from './table-panel.module.css'

export interface LegendLine {
  readonly key: string
  readonly name: string
  readonly look: number
  /** Drawn without dashes. */
  readonly isPlain: boolean
  readonly values: Column
  readonly write: (value: number) => string
  readonly isHidden: boolean
}

interface ChartLegendProps {
  readonly lines: readonly LegendLine[]
  readonly legend: Legend
  /** Shows one alone, or all again when it was alone. */
  readonly onToggle: (key: string, isAlone: boolean) => void
}

/** Names of lines that are listed; more make a list that nobody reads, and stand in the table of the panel. */
const LINES_MAX = { list: 24, table: 60 } as const

/** The lines of a chart by name. Pressing one shows it alone, with Ctrl or Shift it is shown or hidden beside the others. */
export function ChartLegend(props: ChartLegendProps): ReactNode {
  return props.legend.mode === 'table' ? (
    <LegendTable {...props} />
  ) : (
    <ul className={classNames('row list scrolls text-tiny rigid', styles.list, placeOf(props.legend))}>
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

function LegendTable({ lines, legend, onToggle }: ChartLegendProps): ReactNode {
  const [order, setOrder] = useState<{ readonly by: Calculation | 'name'; readonly isRising: boolean }>()
  const rows = lines.map((line) => ({ line, values: legend.values.map((one) => calculate(line.values, one)) }))
  if (order !== undefined) {
    const column = order.by === 'name' ? -1 : legend.values.indexOf(order.by)
    const sign = order.isRising ? 1 : -1
    rows.sort((a, b) =>
      column === -1
        ? sign * (a.line.name < b.line.name ? -1 : 1)
        : sign * ((a.values[column] ?? -Infinity) - (b.values[column] ?? -Infinity) || 0),
    )
  }
  const head = (by: Calculation | 'name', word: string): ReactNode => {
    const isChosen = order?.by === by
    return (
      <th
        key={by}
        scope="col"
        {...(by === 'name' ? {} : { className: 'cell-number' })}
        aria-sort={!isChosen ? 'none' : order.isRising ? 'ascending' : 'descending'}
      >
        <button
          type="button"
          className={tableStyles.sort}
          onClick={() => {
            setOrder({ by, isRising: isChosen ? !order.isRising : by === 'name' })
          }}
        >
          {word}
          <span aria-hidden="true">{isChosen ? (order.isRising ? ' ↑' : ' ↓') : ''}</span>
        </button>
      </th>
    )
  }
  return (
    <div
      className={classNames('scrolls text-tiny rigid', styles.table, placeOf(legend))}
      tabIndex={0}
      role="group"
      aria-label="Legend"
    >
      <table className="prose-table legend-table">
        <thead>
          <tr>
            {head('name', 'series')}
            {legend.values.map((value) => head(value, CALCULATION_WORDS[value]))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, LINES_MAX.table).map(({ line, values }) => (
            <tr key={line.key}>
              <td>
                <LineButton line={line} onToggle={onToggle} />
              </td>
              {values.map((value, i) => (
                <td key={legend.values[i]} className="cell-number nums">
                  {value === null ? '–' : line.write(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > LINES_MAX.table ? (
        <p className="quiet">
          and {countOf(rows.length - LINES_MAX.table, 'more line', 'more lines')}: the head of a column sorts all of
          them
        </p>
      ) : null}
    </div>
  )
}

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
      className={styles.line}
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

/** The colour of a line, a slice or a part: four grades of lightness, in turn. */
export function seriesColor(look: number): string {
  return `var(--dt-series-${(look % LINE_COLORS) + 1})`
}

const DASHES = ['', '6 3', '2 3', '10 3 2 3']
const LINE_COLORS = 4

/** How a line is drawn. */
export function LineSwatch({ line: { look, isPlain } }: { readonly line: LegendLine }): ReactNode {
  const dash = isPlain ? '' : DASHES[Math.floor(look / LINE_COLORS) % DASHES.length]
  return (
    <svg className={styles.swatch} stroke={seriesColor(look)} viewBox="0 0 22 8" aria-hidden="true">
      <path d="M1 4h20" strokeDasharray={dash} />
    </svg>
  )
}
