import { useMemo, type ReactNode } from 'react'
import type { TimeSeriesOptions } from '../../../model/dashboard.ts'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import { toPanelData, type PanelData } from '../../lib/dashboards/series.ts'
import { countOf } from '../../lib/format-number.ts'
import { bucketSeries } from '../../lib/promql/native-buckets.ts'
import { unseenInLines } from '../../lib/promql/range-vector.ts'
import { seriesName, shortName, splitLabels, distinguishingLabels } from '../../lib/promql-table.ts'
import type { GraphAnswer } from '../../query/use-query-answers.ts'
import { bandsOf } from '../../lib/upgrade-bands.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { serverNowMs } from '../../ui/server-clock.ts'
import { HeatMapPanel } from '../dashboards/blocks-panel.tsx'
import { TimeSeriesPanel } from '../dashboards/time-series-panel.tsx'
import { SharedLabels } from './label-links.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './graph-result.module.css'

interface GraphResultProps {
  readonly title: string
  readonly result: GraphAnswer
  /** A unit of Perses. */
  readonly unit: string
  readonly upgrades: readonly UpgradeItem[]
  readonly onZoom: (fromMs: number, toMs: number) => void
}

/** Graphs of one page move their cursors together. */
const SYNC_KEY = 'promql'
const HEAT_MAPS_MAX = 4
/** The limit of the query itself: a reader cannot know which lines are left out. */
const LINES_MAX = 500

/** An answer over time: lines with their values as a table below, native histograms as rows of buckets. */
export function GraphResult({ title, result, unit, upgrades, onZoom }: GraphResultProps): ReactNode {
  const { answer, span } = result
  const { lines, histograms, shared } = useMemo(() => partsOf(answer.data), [answer])
  const data = useMemo((): PanelData => {
    const metrics = lines.map(({ metric }) => metric)
    const telling = distinguishingLabels(metrics, splitLabels(metrics).columns)
    const matrix = { ...answer, data: { resultType: 'matrix' as const, result: lines } }
    const panel = toPanelData([{ seriesNameFormat: '' }], [matrix], span)
    return { ...panel, series: panel.series.map((one) => ({ ...one, name: shortName(one.labels, telling) })) }
  }, [answer, lines, span])
  const unseen = useMemo(() => unseenInLines(lines), [lines])
  const bands = useMemo(() => bandsOf(upgrades, span), [upgrades, span])
  const options = useMemo(() => optionsIn(unit), [unit])
  return (
    <>
      {lines.length === 0 ? null : (
        <div className={classNames(styles.root, lines.length > 4 && styles.isTall)}>
          <TimeSeriesPanel
            title={title}
            data={data}
            options={options}
            bands={bands}
            syncKey={SYNC_KEY}
            linesMax={LINES_MAX}
            onZoom={onZoom}
          />
        </div>
      )}
      {unseen.series === 0 ? null : (
        <p className="quiet">
          {countOf(unseen.series, 'series has', 'series have')} samples that a line cannot show:{' '}
          {unseen.words.join(', ')}. The table shows their values at the end of the range.
        </p>
      )}
      {histograms.slice(0, HEAT_MAPS_MAX).map((one) => (
        <Histograms key={seriesName(one.metric)} series={one} result={result} unit={unit} />
      ))}
      {histograms.length > HEAT_MAPS_MAX ? (
        <p className="quiet">
          {countOf(histograms.length - HEAT_MAPS_MAX, 'more histogram is', 'more histograms are')} not drawn.
        </p>
      ) : null}
      <SharedLabels labels={shared} />
    </>
  )
}

type Matrix = Extract<QueryAnswer['data'], { resultType: 'matrix' }>['result']

/** A series may have floats and histograms; then it is drawn as both. */
function partsOf(data: QueryAnswer['data']) {
  const matrix = data.resultType === 'matrix' ? data.result : []
  const lines = matrix.filter(({ values = [], histograms = [] }) => values.length > 0 || histograms.length === 0)
  const histograms = matrix.filter((one) => (one.histograms ?? []).length > 0)
  return { lines, histograms, shared: splitLabels(lines.map(({ metric }) => metric)).shared }
}

interface HistogramsProps extends Pick<GraphResultProps, 'result' | 'unit'> {
  readonly series: Matrix[number]
}

function Histograms({ series, result, unit }: HistogramsProps): ReactNode {
  const { zone } = usePreferences()
  const formatContext = { zone, nowMs: serverNowMs() }
  const rows = bucketSeries(series, result.span, (bound) => formatUnit(bound, { unit }, formatContext))
  const { timesSeconds } = toPanelData([], [], result.span)
  return (
    <figure className={`entries text-small ${styles.histograms}`}>
      <figcaption>
        <code>{seriesName(series.metric)}</code> <span className="quiet">observations by bucket</span>
      </figcaption>
      <HeatMapPanel
        data={{ timesSeconds, series: rows, warnings: [] }}
        options={{ kind: 'HeatMapChart', yFormat: undefined, countFormat: undefined, hasScale: true }}
        formatContext={formatContext}
      />
    </figure>
  )
}

function optionsIn(unit: string): TimeSeriesOptions {
  return {
    kind: 'TimeSeriesChart',
    legend: { mode: 'table', position: 'bottom', size: 'medium', values: ['last-number', 'mean', 'min', 'max'] },
    thresholds: undefined,
    yAxis: { isShown: true, label: '', format: { unit }, min: undefined, max: undefined, logBase: 0 },
    visual: {
      display: 'line',
      lineWidth: 1.6,
      lineStyle: 'solid',
      areaOpacity: 0,
      alwaysShowsPoints: false,
      pointRadius: 0,
      stack: 'none',
      connectsNulls: false,
    },
    querySettings: [],
    canPin: true,
  }
}
