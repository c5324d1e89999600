import type { ReactNode } from 'react'
import type { HeatMapOptions, StatusHistoryOptions } from '../../../model/dashboard.ts'
import { bucketRows, type BucketRow } from '../../lib/dashboards/buckets.ts'
import { calculate, type Column } from '../../lib/dashboards/calculate.ts'
import { formatUnit, type FormatContext } from '../../lib/dashboards/format-unit.ts'
import { mappingOf, toneOfColor } from '../../lib/dashboards/tone.ts'
import { formatValue } from '../../lib/format-number.ts'
import { formatDay, formatTimeOfDay } from '../../lib/format-time.ts'
import { cssColor, seriesToken, stateToken } from '../../lib/palette.ts'
import { OmittedNote, type ChartProps } from './value-panel.tsx'
import { classNames } from '../../ui/class-names.ts'
import { toneText } from '../../ui/tone-mark.tsx'
import styles from './blocks-panel.module.css'
import legendStyles from './chart-legend.module.css'

/** Panels that are rows of blocks over time: how many in each bucket, and which state when. */

const NONE = classNames(styles.none)
const FILLED = classNames(styles.filled)
const HEAT = classNames(styles.heat)

/** Blocks of a row: more are narrower than a pixel. */
const BLOCKS_MAX = 120
const ROWS_MAX = 60

/** The rows are the buckets of a classic histogram (`le`), the highest on top; without buckets they are the series. */
export function HeatMapPanel({ data, options, formatContext }: ChartProps<HeatMapOptions>): ReactNode {
  const rows = bucketRows(data.series)
  const blocks = rows.map(({ values }) => inBlocks(values, 'mean'))
  const most = Math.max(0, ...blocks.flat().map((value) => value ?? 0))
  const write = ({ name, limit }: BucketRow, below: BucketRow | undefined): string => {
    if (limit === undefined) return name
    // The last bucket of a classic histogram has no upper end.
    const [sign, end] = limit === Infinity && below?.limit !== undefined ? ['>', below.limit] : ['≤', limit]
    return `${sign} ${formatUnit(end, options.yFormat, formatContext)}`
  }
  return (
    <BlockRows
      times={data.timesSeconds}
      formatContext={formatContext}
      left={rows.length - ROWS_MAX}
      legend={options.hasScale ? <HeatScale most={most} options={options} formatContext={formatContext} /> : null}
      rows={rows.slice(0, ROWS_MAX).map((row, i) => ({
        key: row.key,
        name: write(row, rows[i + 1]),
        says: `max ${formatUnit(calculate(blocks[i] ?? [], 'max') ?? 0, options.countFormat, formatContext)}`,
        blocks: (blocks[i] ?? []).map((value) => ({
          className: value === null ? NONE : HEAT,
          opacity: value === null ? 1 : most > 0 ? Math.max(PALEST, value / most) : PALEST,
          title: value === null ? 'no samples' : formatUnit(value, options.countFormat, formatContext),
        })),
      }))}
    />
  )
}

/** A block of nothing is seen too. */
const PALEST = 0.04
const SCALE_BLOCKS = 12

/** The scale of colors with its least and greatest value. */
function HeatScale({
  most,
  options: { countFormat },
  formatContext,
}: Omit<ChartProps<HeatMapOptions>, 'data'> & { readonly most: number }): ReactNode {
  const write = (value: number): string => formatUnit(value, countFormat, formatContext)
  return (
    <p className={`row centered rigid text-tiny nums quiet ${styles.scale}`}>
      <span>{write(0)}</span>
      <svg viewBox={`0 0 ${SCALE_BLOCKS} 1`} preserveAspectRatio="none" aria-hidden="true">
        {Array.from({ length: SCALE_BLOCKS }, (_, i) => (
          <rect
            key={i}
            className={HEAT}
            opacity={Math.max(PALEST, i / (SCALE_BLOCKS - 1))}
            x={i}
            width={1}
            height={1}
          />
        ))}
      </svg>
      <span>{write(most)}</span>
    </p>
  )
}

/** One row for each series; a state is what its value is mapped to. */
export function StatusHistoryPanel({ data, options, formatContext }: ChartProps<StatusHistoryOptions>): ReactNode {
  const { mappings, sort, legend } = options
  const states = mappings.map(({ text }) => text)
  const stateOf = (value: number | null): State => {
    if (value === null) return { word: 'no samples', className: NONE, color: undefined }
    const mapping = mappingOf(value, mappings)
    const tone = toneOfColor(mapping?.color ?? '')
    const word = mapping?.text ?? formatValue(value)
    const plain =
      stateToken(word) ?? (value === 0 ? '--dt-state-unknown' : seriesToken(Math.max(0, states.indexOf(word))))
    return { word, className: classNames(FILLED, toneText(tone)), color: tone === 'none' ? cssColor(plain) : undefined }
  }
  const series = sort === undefined ? data.series : data.series.toSorted(byName(sort))
  const shown = series.slice(0, ROWS_MAX).map((one) => ({ ...one, blocks: inBlocks(one.values, 'last') }))
  return (
    <BlockRows
      times={data.timesSeconds}
      formatContext={formatContext}
      left={series.length - ROWS_MAX}
      legend={legend === undefined ? null : <States states={shown.flatMap(({ blocks }) => blocks.map(stateOf))} />}
      isLegendRight={legend?.position === 'right'}
      rows={shown.map(({ name, values, queryIndex, blocks }) => ({
        key: `${queryIndex} ${name}`,
        name,
        says: stateOf(calculate(values, 'last')).word,
        blocks: blocks.map((value) => {
          const { word, ...look } = stateOf(value)
          return { ...look, opacity: 1, title: word }
        }),
      }))}
    />
  )
}

interface State {
  readonly word: string
  readonly className: string
  /** Absent: that of the class. */
  readonly color: string | undefined
}

function byName(sort: 'asc' | 'desc'): (a: { readonly name: string }, b: { readonly name: string }) => number {
  const sign = sort === 'asc' ? 1 : -1
  return (a, b) => (a.name < b.name ? -sign : a.name > b.name ? sign : 0)
}

/** The states that are there, each once. */
function States({ states }: { readonly states: readonly State[] }): ReactNode {
  const once = [...new Map(states.map((state) => [state.word, state])).values()]
  return (
    <ul
      className={`row scrolls text-tiny rigid ${legendStyles.list} ${styles.states}`}
      aria-label="States"
      tabIndex={0}
    >
      {once.map(({ word, className, color }) => (
        <li key={word} className="inline-row">
          <svg viewBox="0 0 1 1" aria-hidden="true">
            <rect className={className} color={color} width={1} height={1} />
          </svg>
          {word}
        </li>
      ))}
    </ul>
  )
}

interface Block {
  readonly className: string
  readonly color?: string | undefined
  readonly opacity: number
  readonly title: string
}

interface BlockRow {
  readonly key: string
  readonly name: string
  /** The state of the row in a word. */
  readonly says: string
  readonly blocks: readonly Block[]
}

interface BlockRowsProps {
  readonly rows: readonly BlockRow[]
  readonly times: Float64Array
  readonly formatContext: FormatContext
  /** The meaning of the blocks. */
  readonly legend: ReactNode
  readonly isLegendRight?: boolean
  /** Rows that are not drawn, when there are any. */
  readonly left: number
}

const BLOCK = 10

function BlockRows({
  rows,
  times,
  formatContext: { zone },
  legend,
  isLegendRight = false,
  left,
}: BlockRowsProps): ReactNode {
  const [first, last] = [(times[0] ?? 0) * 1000, (times.at(-1) ?? 0) * 1000]
  const isOneDay = formatDay(first, zone) === formatDay(last, zone)
  const write = (timeMs: number): string =>
    isOneDay ? formatTimeOfDay(timeMs, zone) : `${formatDay(timeMs, zone)} ${formatTimeOfDay(timeMs, zone)}`
  return (
    <div className={classNames('stack fills', isLegendRight && styles.isRight)}>
      <div className={`fills scrolls text-tiny ${styles.rows}`} tabIndex={0} role="group" aria-label="Rows over time">
        <table>
          <tbody>
            {rows.map(({ key, name, says, blocks }) => (
              <tr key={key}>
                <th scope="row" className="quiet one-line" title={name}>
                  {name}
                </th>
                <td>
                  <svg
                    viewBox={`0 0 ${Math.max(1, blocks.length) * BLOCK} ${BLOCK}`}
                    preserveAspectRatio="none"
                    aria-hidden="true"
                  >
                    {blocks.map((block, i) => (
                      <rect
                        key={i}
                        className={block.className}
                        color={block.color}
                        opacity={block.opacity}
                        x={i * BLOCK}
                        width={BLOCK}
                        height={BLOCK}
                      >
                        <title>{`${write(first + ((last - first) * i) / Math.max(1, blocks.length - 1))}: ${block.title}`}</title>
                      </rect>
                    ))}
                  </svg>
                </td>
                <td className={`one-line ${styles.state}`}>{says}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td />
              <td>
                <p className="row row-apart nums quiet">
                  <span>{write(first)}</span>
                  <span>{write(last)}</span>
                </p>
              </td>
              <td />
            </tr>
          </tfoot>
        </table>
        {left > 0 ? <OmittedNote count={left} /> : null}
      </div>
      {legend}
    </div>
  )
}

/** As many blocks as are visible; each combines the values of its steps. */
function inBlocks(values: Column, how: 'mean' | 'last'): Column {
  const width = Math.ceil(values.length / BLOCKS_MAX)
  if (width <= 1) return values
  return Array.from({ length: Math.ceil(values.length / width) }, (_, i) =>
    calculate(values.slice(i * width, (i + 1) * width), how === 'mean' ? 'mean' : 'last-number'),
  )
}
