import { memo } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { metricsPath } from '../../lib/explore-paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { firstMetricOrder, searchOfMetricView } from '../../lib/metric-list.ts'
import type { MetricRow, MetricSort, MetricView } from '../../lib/metric-list.ts'
import { SortHead } from '../../ui/sort-head.tsx'
import { VirtualRow } from '../../ui/virtual-row.tsx'
import type { RowPlace } from '../../ui/virtual-row.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'

interface MetricTableProps {
  readonly rows: readonly MetricRow[]
  readonly view: MetricView
  readonly onChange: (view: MetricView) => void
}

/** Metrics as rows. All of them are there: nothing is asked for while it scrolls. */
export function MetricTable({ rows, view, onChange }: MetricTableProps): ReactNode {
  const sortBy = (sort: MetricSort): void => {
    const turned = view.order === 'asc' ? 'desc' : 'asc'
    onChange({ ...view, sort, order: sort === view.sort ? turned : firstMetricOrder(sort) })
  }
  return (
    <VirtualTable
      label="Metrics"
      className="metric-table"
      loaded={rows.length}
      total={rows.length}
      onNeedMore={NOTHING}
      head={
        <>
          <SortHead title="Metric" sort="name" current={view} onSort={sortBy} className="column-metric" />
          <th scope="col" className="cell-beside column-type">
            Type
          </th>
          <th scope="col" className="cell-beside column-unit">
            Unit
          </th>
          <SortHead title="Series" sort="series" current={view} onSort={sortBy} className="cell-number column-series" />
          <th scope="col" className="cell-beside column-since">
            Since
          </th>
          <th scope="col" className="cell-beside column-read-by">
            Read by
          </th>
        </>
      }
      renderRow={(index, place) => {
        const row = rows[index]!
        return (
          <Row
            key={row.name}
            row={row}
            path={metricsPath(searchOfMetricView({ ...view, metric: row.name }))}
            isOpen={row.name === view.metric}
            {...place}
          />
        )
      }}
    />
  )
}

const NOTHING = (): void => undefined

interface RowProps extends RowPlace {
  readonly row: MetricRow
  readonly path: string
  readonly isOpen: boolean
}

const Row = memo(function Row({ row, path, isOpen, index, topPx, measure }: RowProps): ReactNode {
  const { name, type, unit, series, since, isSent, isGone } = row
  return (
    <VirtualRow index={index} topPx={topPx} measure={measure} className={isOpen ? 'is-open-row' : ''}>
      <td className="cell-name column-metric">
        <Link href={path} data-row {...(isOpen ? { 'aria-current': 'true' } : {})}>
          {name}
        </Link>
        {isGone ? <span className="quiet"> no longer sent by operators</span> : null}
        {row.help === '' ? null : <span className="metric-help">{row.help}</span>}
        <span className="cell-below">
          {type === '' ? 'type not known' : type}
          {unit === '' ? null : <span>{unit}</span>}
        </span>
      </td>
      <td className="cell-beside column-type">{orUnknown(type)}</td>
      <td className="cell-beside column-unit">{orUnknown(unit)}</td>
      <td className="cell-number column-series nums">{seriesText(isSent, series)}</td>
      <td className="cell-beside column-since">{orUnknown(since ?? '')}</td>
      <td className="cell-beside column-read-by">{readers(row)}</td>
    </VirtualRow>
  )
})

function orUnknown(text: string): ReactNode {
  return text === '' ? (
    <span className="quiet" title="Not known">
      –
    </span>
  ) : (
    text
  )
}

function seriesText(isSent: boolean, series: number | undefined): ReactNode {
  if (!isSent) return <span className="quiet">not sent</span>
  return series === undefined ? <span className="quiet">–</span> : formatCount(series)
}

function readers({ rules, panels }: MetricRow): ReactNode {
  const parts = [
    ...(rules.length === 0 ? [] : [countOf(new Set(rules.map(({ name }) => name)).size, 'rule')]),
    ...(panels.length === 0 ? [] : [countOf(panels.length, 'panel')]),
  ]
  return parts.length === 0 ? <span className="quiet">nothing</span> : parts.join(', ')
}
