import type { ReactNode } from 'react'
import type { HeatMapOptions, StatusHistoryOptions } from '../../../model/dashboard.ts'
import { bucketRows } from '../../lib/dashboards/buckets.ts'
import { calculate } from '../../lib/dashboards/calculate.ts'
import type { Column } from '../../lib/dashboards/calculate.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import type { Beholder } from '../../lib/dashboards/format-unit.ts'
import type { PanelData } from '../../lib/dashboards/series.ts'
import { mappingOf, toneOfColor } from '../../lib/dashboards/tone.ts'
import { formatValue } from '../../lib/format-number.ts'
import { formatDay, formatTimeOfDay } from '../../lib/format-time.ts'

/** Panels that are rows of blocks over time: how many in each bucket, and which state when. */

/** Blocks of a row: more are narrower than a pixel. */
const BLOCKS_MAX = 120
const ROWS_MAX = 60

interface HeatMapPanelProps {
  readonly data: PanelData
  readonly options: HeatMapOptions
  readonly beholder: Beholder
}

/** The rows are the buckets of a classic histogram (`le`), the highest on top; without buckets they are the series. */
export function HeatMapPanel({ data, options, beholder }: HeatMapPanelProps): ReactNode {
  const rows = bucketRows(data.series)
  const blocks = rows.map(({ values }) => inBlocks(values, 'mean'))
  const most = Math.max(0, ...blocks.flat().map((value) => value ?? 0))
  const write = (limit: number | undefined, name: string): string =>
    limit === undefined ? name : `≤ ${formatUnit(limit, options.yFormat, beholder)}`
  return (
    <BlockRows
      times={data.timesSeconds}
      beholder={beholder}
      rows={rows.slice(0, ROWS_MAX).map(({ key, name, limit }, i) => ({
        key,
        name: write(limit, name),
        says: `at most ${formatUnit(calculate(blocks[i] ?? [], 'max') ?? 0, options.countFormat, beholder)}`,
        blocks: (blocks[i] ?? []).map((value) => ({
          className: value === null ? 'block-none' : 'block-heat',
          opacity: value === null ? 1 : most > 0 ? Math.max(0.04, value / most) : 0.04,
          title: value === null ? 'no samples' : formatUnit(value, options.countFormat, beholder),
        })),
      }))}
    />
  )
}

interface StatusHistoryPanelProps {
  readonly data: PanelData
  readonly options: StatusHistoryOptions
  readonly beholder: Beholder
}

/** One row for each series; a state is what its value is mapped to. */
export function StatusHistoryPanel({ data, options: { mappings }, beholder }: StatusHistoryPanelProps): ReactNode {
  const wordOf = (value: number | null): string =>
    value === null ? 'no samples' : (mappingOf(value, mappings)?.text ?? formatValue(value))
  return (
    <BlockRows
      times={data.timesSeconds}
      beholder={beholder}
      rows={data.series.slice(0, ROWS_MAX).map(({ name, values, queryIndex }) => ({
        key: `${queryIndex} ${name}`,
        name,
        says: wordOf(calculate(values, 'last')),
        blocks: inBlocks(values, 'last').map((value) => {
          const mapping = value === null ? undefined : mappingOf(value, mappings)
          const tone = toneOfColor(mapping?.color ?? '')
          const isPlain = tone === 'none'
          return {
            className: value === null ? 'block-none' : isPlain ? 'block-plain' : `block-tone tone-text-${tone}`,
            opacity: isPlain && value === 0 ? 0.25 : 1,
            title: wordOf(value),
          }
        }),
      }))}
    />
  )
}

interface BlockRow {
  readonly key: string
  readonly name: string
  /** The row in a word, for those who do not see it. */
  readonly says: string
  readonly blocks: readonly { readonly className: string; readonly opacity: number; readonly title: string }[]
}

interface BlockRowsProps {
  readonly rows: readonly BlockRow[]
  readonly times: Float64Array
  readonly beholder: Beholder
}

const BLOCK = 10

function BlockRows({ rows, times, beholder: { zone } }: BlockRowsProps): ReactNode {
  const [first, last] = [(times[0] ?? 0) * 1000, (times.at(-1) ?? 0) * 1000]
  const isOneDay = formatDay(first, zone) === formatDay(last, zone)
  const write = (timeMs: number): string =>
    isOneDay ? formatTimeOfDay(timeMs, zone) : `${formatDay(timeMs, zone)} ${formatTimeOfDay(timeMs, zone)}`
  return (
    <div className="block-rows" tabIndex={0} role="group" aria-label="Rows over time">
      <table>
        <tbody>
          {rows.map(({ key, name, says, blocks }) => (
            <tr key={key}>
              <th scope="row" title={name}>
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
              <td className="block-says">{says}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="block-times nums quiet">
        <span>{write(first)}</span>
        <span>{write(last)}</span>
      </p>
    </div>
  )
}

/** As many blocks as can be seen; each says what its steps say together. */
function inBlocks(values: Column, how: 'mean' | 'last'): Column {
  const width = Math.ceil(values.length / BLOCKS_MAX)
  if (width <= 1) return values
  return Array.from({ length: Math.ceil(values.length / width) }, (_, i) =>
    calculate(values.slice(i * width, (i + 1) * width), how === 'mean' ? 'mean' : 'last-number'),
  )
}
