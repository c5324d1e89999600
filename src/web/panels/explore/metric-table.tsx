import { sortedBy } from '../../lib/view-codec.ts'
import { useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { metricsPath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { type MetricRow, type MetricSort, type MetricView, METRIC_VIEW } from '../../lib/metric-list.ts'
import type { Column } from '../../ui/data-table.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import styles from './metric-table.module.css'

interface MetricTableProps {
  readonly rows: readonly MetricRow[]
  readonly view: MetricView
  readonly onChange: (view: MetricView) => void
}

/** Metrics as rows. All of them are loaded at once. */
export function MetricTable({ rows, view, onChange }: MetricTableProps): ReactNode {
  const sortBy = (sort: MetricSort): void => {
    onChange(sortedBy(view, sort, 'name'))
  }
  const columns = useMemo(() => columnsOf(view), [view])
  return (
    <VirtualDataTable
      label="Metrics"
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
      rowClass={({ name }) => name === view.metric && styles.open}
      sort={view}
      onSort={sortBy}
    />
  )
}

/** The detail of the open metric has what its columns would: beside it the table has the name and the series. */
function columnsOf(view: MetricView): readonly Column<MetricRow, MetricSort>[] {
  const columns: readonly Column<MetricRow, MetricSort>[] = [
    {
      head: 'Metric',
      kind: 'name',
      sort: 'name',
      cell: ({ name, isGone, help }) => (
        <>
          <Link
            href={metricsPath(METRIC_VIEW.searchOf({ ...view, metric: name }))}
            data-row
            {...(name === view.metric ? { 'aria-current': 'true' } : {})}
          >
            {name}
          </Link>
          {isGone ? <span className="quiet"> no longer exported by operators</span> : null}
          {help === '' ? null : <span className={`quiet text-small one-line ${styles.help}`}>{help}</span>}
        </>
      ),
      below: ({ type, unit }) => (
        <>
          {type === '' ? 'type not known' : type}
          {unit === '' ? null : <span>{unit}</span>}
        </>
      ),
    },
    { head: 'Type', isHiddenOnPhone: true, style: { inlineSize: '8rem' }, cell: ({ type }) => orUnknown(type) },
    { head: 'Unit', isHiddenOnPhone: true, style: { inlineSize: '8rem' }, cell: ({ unit }) => orUnknown(unit) },
    {
      head: 'Series',
      kind: 'number',
      sort: 'series',
      className: styles.series,
      cell: ({ isSent, series }) => seriesText(isSent, series),
    },
    {
      head: 'Since',
      isHiddenOnPhone: true,
      style: { inlineSize: '8rem' },
      cell: ({ since }) => orUnknown(since ?? ''),
    },
    { head: 'Used by', isHiddenOnPhone: true, style: { inlineSize: '11rem' }, cell: readers },
  ]
  return view.metric === '' ? columns : columns.filter(({ head }) => head === 'Metric' || head === 'Series')
}

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
  return parts.length === 0 ? <span className="quiet">none</span> : parts.join(', ')
}
