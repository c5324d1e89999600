import { useMemo, type ReactNode } from 'react'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import type { Calculation, Chart, DashboardPanel } from '../../../model/dashboard.ts'
import { calculate } from '../../lib/dashboards/calculate.ts'
import { interpolateText, type VariableValues } from '../../lib/dashboards/interpolate.ts'
import { toPanelData, type PanelData } from '../../lib/dashboards/series.ts'
import { plainColumn, toTableRows, transformed, type TableRow } from '../../lib/dashboards/table.ts'
import { bandsOf } from '../../lib/upgrade-bands.ts'
import type { PanelAnswers, PanelShape } from '../../query/use-dashboards.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { serverNowMs } from '../../ui/server-clock.ts'
import { UpgradeBandList } from '../upgrade-band-list.tsx'
import { useEmptyPanelReasons, type EmptyPanel as Asked } from '../../query/use-empty-reasons.ts'
import { BarsPanel } from './bars-panel.tsx'
import { HeatMapPanel, StatusHistoryPanel } from './blocks-panel.tsx'
import { PiePanel } from './pie-panel.tsx'
import { TablePanel } from './table-panel.tsx'
import { TimeSeriesPanel } from './time-series-panel.tsx'
import { GaugePanel, StatPanel } from './value-panel.tsx'
import styles from './dashboard-panel.module.css'

interface ChartBodyProps {
  readonly panel: DashboardPanel
  readonly answers: PanelAnswers
  /** How it was queried. */
  readonly shape: PanelShape
  readonly values: VariableValues
  /** Of the clusters that the panel is of, when they are a few. */
  readonly upgrades: readonly UpgradeItem[]
  /** Shows the numbers of a chart as a table. */
  readonly isTable: boolean
  readonly syncKey: string
  readonly onZoom: (fromMs: number, toMs: number) => void
}

/** The answers of a panel: one component for each kind that has queries. */
export function ChartBody({
  panel,
  answers,
  shape,
  values,
  upgrades,
  isTable,
  syncKey,
  onZoom,
}: ChartBodyProps): ReactNode {
  const { zone } = usePreferences()
  const { chart, queries, title } = panel
  const formatContext = { zone, nowMs: serverNowMs() }
  // One string as the key of the memo: values of variables are new objects at every rendering, and rarely differ.
  const names = JSON.stringify(
    queries.map((query) => (query.kind === 'prometheus' ? interpolateText(query.seriesNameFormat, values) : '')),
  )
  const data = useMemo(() => {
    const formats = (JSON.parse(names) as string[]).map((seriesNameFormat) => ({ seriesNameFormat }))
    return toPanelData(formats, answers.answers, answers.span)
  }, [names, answers])
  const bands = useMemo(() => bandsOf(upgrades, answers.span), [upgrades, answers.span])
  const name = title || panel.id
  const empty = <EmptyPanel exprs={answers.requests.map(({ expr }) => expr)} span={answers.span} shape={shape} />
  if (chart.kind === 'Table') {
    const rows = transformed(toTableRows(answers.answers), chart.transforms)
    if (rows.length === 0) return empty
    return <TablePanel title={name} rows={rows} options={chart} values={values} formatContext={formatContext} />
  }
  if (data.series.length === 0) return empty
  if (isTable) {
    return (
      <>
        <TablePanel
          title={name}
          rows={numbersOf(data)}
          options={numbersTable(chart)}
          values={values}
          formatContext={formatContext}
        />
        {bands.length > 0 && chart.kind === 'TimeSeriesChart' ? (
          <UpgradeBandList bands={bands} loaded={[...new Set(bands.map(({ cluster }) => cluster))]} failed={[]} />
        ) : null}
      </>
    )
  }
  switch (chart.kind) {
    case 'TimeSeriesChart':
      return (
        <TimeSeriesPanel title={name} data={data} options={chart} bands={bands} syncKey={syncKey} onZoom={onZoom} />
      )
    case 'StatChart':
      return <StatPanel data={data} options={chart} formatContext={formatContext} />
    case 'GaugeChart':
      return <GaugePanel data={data} options={chart} formatContext={formatContext} />
    case 'BarChart':
      return <BarsPanel data={data} options={chart} formatContext={formatContext} />
    case 'PieChart':
      return <PiePanel data={data} options={chart} formatContext={formatContext} />
    case 'HeatMapChart':
      return <HeatMapPanel data={data} options={chart} formatContext={formatContext} />
    case 'StatusHistoryChart':
      return <StatusHistoryPanel data={data} options={chart} formatContext={formatContext} />
    case 'Markdown':
    case 'unknown':
      return null
  }
}

const NUMBERS = ['last-number', 'mean', 'min', 'max'] as const satisfies readonly Calculation[]

function numbersOf({ series }: PanelData): readonly TableRow[] {
  return series.map(({ name, values }) => {
    const [last, mean, min, max] = NUMBERS.map((one) => calculate(values, one))
    return { series: name, last: last ?? null, mean: mean ?? null, min: min ?? null, max: max ?? null }
  })
}

function numbersTable(chart: Chart): Parameters<typeof TablePanel>[0]['options'] {
  const format = chart.kind === 'TimeSeriesChart' ? chart.yAxis.format : 'format' in chart ? chart.format : undefined
  const columns = ['series', 'last', 'mean', 'min', 'max'].map((name) => ({
    ...plainColumn(name),
    format: name === 'series' ? undefined : format,
  }))
  return { columns, isColumnHidden: true, cells: [], density: 'compact', canFilter: false }
}

/** A panel is small: further reasons concern its other queries, and the page of PromQL shows them. */
const REASONS_MAX = 2

/** An empty panel with the reasons: an unknown metric, no samples in this time, or a condition that is false. */
function EmptyPanel(asked: Asked): ReactNode {
  const { data, error } = useEmptyPanelReasons(asked)
  const isUnknown = error !== null || data?.length === 0
  return (
    <div className={`quiet text-small centered ${styles.empty}`}>
      <strong>No series in this range.</strong>{' '}
      {isUnknown ? 'No sender has this metric, or the condition is false.' : null}
      {(data ?? []).slice(0, REASONS_MAX).map(({ text }) => (
        <span key={text}>{text} </span>
      ))}
    </div>
  )
}
