import { useMemo, useState, type ReactNode } from 'react'
import type { Format, QuerySetting, Thresholds, TimeSeriesOptions } from '../../../model/dashboard.ts'
import { formatTick, formatUnit, tickSteps } from '../../lib/dashboards/format-unit.ts'
import { largestOf, stacked, type PanelData } from '../../lib/dashboards/series.ts'
import { seriesTokens } from '../../lib/dashboards/series-colors.ts'
import { limitOf, toneOfStep } from '../../lib/dashboards/tone.ts'
import { countOf } from '../../lib/format-number.ts'
import { formatMoment, formatRelative } from '../../lib/format-time.ts'
import { dashesOf } from '../../lib/palette.ts'
import { bandsAt, bandTexts, isOpen, type UpgradeBand } from '../../lib/upgrade-bands.ts'
import { usePreferences } from '../../ui/preferences.ts'
import { serverNowMs } from '../../ui/server-clock.ts'
import { Plot, type PlotAxis, type PlotLimit, type PlotLine, type PlotSpot } from '../plot.tsx'
import type { PlotBand } from '../plot-bands.ts'
import { ChartLegend, LineSwatch, type LegendLine } from './chart-legend.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './time-series-panel.module.css'

interface TimeSeriesPanelProps {
  readonly title: string
  readonly data: PanelData
  readonly options: TimeSeriesOptions
  /** Upgrades of the clusters it is of. */
  readonly bands?: readonly UpgradeBand[]
  readonly syncKey: string
  /** The number of lines that are drawn; a note counts the others. */
  readonly linesMax?: number
  readonly onZoom: (fromMs: number, toMs: number) => void
}

const NO_BANDS: readonly UpgradeBand[] = []

function plotBandOf(band: UpgradeBand, _index: number, bands: readonly UpgradeBand[]): PlotBand {
  const { fromMs, toMs, state } = band
  const end = toMs === undefined ? {} : { toSeconds: toMs / 1000 }
  return { fromSeconds: fromMs / 1000, ...end, goesOn: isOpen(state), state, texts: bandTexts(band, bands) }
}

/** More lines than this cannot be distinguished; a note counts them. */
const LINES_MAX = 200
/** More lines than this differ by name only: dashes and width would be slow to draw and of no use. */
const DASHED_LINES_MAX = 32
const MANY_WIDTH = 1
/** Lines whose values are beside the pointer. */
const SPOT_LINES_MAX = 8

export function TimeSeriesPanel({
  title,
  data,
  options,
  bands = NO_BANDS,
  syncKey,
  linesMax = LINES_MAX,
  onZoom,
}: TimeSeriesPanelProps): ReactNode {
  const { zone } = usePreferences()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const { visual, yAxis, thresholds, legend, querySettings } = options
  const { lines, drawn, tick } = useMemo(() => {
    const series = data.series.slice(0, linesMax)
    const formatContext = { zone, nowMs: serverNowMs() }
    const writeAs =
      (format: Format | undefined) =>
      (value: number): string =>
        formatUnit(value, format, formatContext)
    const areMany = series.length > DASHED_LINES_MAX
    const settings = new Map(querySettings.map((setting) => [setting.queryIndex, setting]))
    const isShown = series.map(({ name, queryIndex }) => !hidden.has(keyOf(name, queryIndex)))
    // What is hidden takes no room in a stack.
    const shown = series.map((one, i) => (isShown[i] === true ? one.values : one.values.map(() => null)))
    const isStacked = visual.stack !== 'none'
    const columns = visual.stack === 'none' ? shown : stacked(shown, visual.stack)
    const colors = seriesTokens(series, !isStacked)
    // The fill distinguishes stacked areas; their lines need no dashes.
    const dashes = series.map((_one, look) => (areMany || isStacked ? [] : dashesOf(look)))
    const all = series.map((one, look): PlotLine => {
      const setting = settings.get(one.queryIndex)
      return {
        name: one.name,
        values: columns[look] ?? [],
        look,
        color: colors[look]!,
        dashes: dashes[look]!,
        isStacked,
        isHidden: isShown[look] !== true,
        ...lookOf(options, setting),
        ...(areMany ? { style: 'solid', width: MANY_WIDTH } : {}),
      }
    })
    return {
      lines: series.map((one, look): LegendLine => {
        const format = settings.get(one.queryIndex)?.format ?? yAxis.format
        const key = keyOf(one.name, one.queryIndex)
        return {
          key,
          name: one.name,
          look,
          color: colors[look]!,
          dashes: dashes[look]!,
          values: one.values,
          write: writeAs(format),
          isHidden: hidden.has(key),
        }
      }),
      // A stack is drawn from its top down: each lies over those above it.
      drawn: visual.stack === 'none' ? all : all.toReversed(),
      tick: (value: number) =>
        formatTick(value, visual.stack === 'percent' ? { unit: 'percent' } : yAxis.format, formatContext),
    }
  }, [data, options, querySettings, visual.stack, yAxis.format, hidden, zone, linesMax])
  const axis: PlotAxis = useMemo(() => ({ ...yAxis, write: tick, tickSteps: tickSteps(yAxis.format) }), [yAxis, tick])
  const limits = useMemo(() => limitsOf(thresholds, yAxis, data), [thresholds, yAxis, data])
  const plotBands = useMemo(() => bands.map(plotBandOf), [bands])
  const toggle = (key: string, isAlone: boolean): void => {
    const keys = lines.map((line) => line.key)
    const wasAlone = keys.every((one) => (one === key) !== hidden.has(one))
    if (isAlone) setHidden(wasAlone ? new Set() : new Set(keys.filter((one) => one !== key)))
    else setHidden(hidden.has(key) ? new Set([...hidden].filter((one) => one !== key)) : new Set([...hidden, key]))
  }
  const names = lines.slice(0, 3).map(({ name }) => name)
  return (
    <div className={classNames('stack fills', legend?.position === 'right' && styles.isRight)}>
      <Plot
        label={`Graph of ${title}: ${names.join(', ')}${lines.length > 3 ? ` and ${lines.length - 3} more` : ''}`}
        timesSeconds={data.timesSeconds}
        lines={drawn}
        axis={axis}
        limits={limits}
        bands={plotBands}
        zone={zone}
        syncKey={syncKey}
        onZoom={onZoom}
        canPin={options.canPin}
        renderSpot={(spot) => (
          <Spot
            spot={spot}
            near={spot.line === undefined ? undefined : drawn[spot.line]?.look}
            lines={lines}
            atMs={(data.timesSeconds[spot.step] ?? 0) * 1000}
            bands={bands}
          />
        )}
      />
      {legend === undefined ? null : <ChartLegend lines={lines} legend={legend} onToggle={toggle} />}
      {data.series.length > linesMax ? (
        <p className="quiet text-tiny one-line rigid">
          {countOf(data.series.length - linesMax, 'more series is', 'more series are')} not drawn.
        </p>
      ) : null}
    </div>
  )
}

function keyOf(name: string, queryIndex: number): string {
  return `${queryIndex} ${name}`
}

/** Colours of single queries are not taken over: the palette distinguishes lines in both themes, and for all readers. */
function lookOf({ visual }: TimeSeriesOptions, setting: QuerySetting | undefined): Partial<PlotLine> {
  const style = setting?.lineStyle ?? visual.lineStyle
  return {
    width: visual.lineWidth,
    areaOpacity: setting?.areaOpacity ?? visual.areaOpacity,
    isBar: visual.display === 'bar',
    connectsNulls: visual.connectsNulls,
    ...(style === 'solid' ? {} : { style }),
    ...(visual.alwaysShowsPoints ? { pointRadius: visual.pointRadius } : {}),
  }
}

function limitsOf(
  thresholds: Thresholds | undefined,
  { min = 0, max }: TimeSeriesOptions['yAxis'],
  { series }: PanelData,
): readonly PlotLimit[] {
  if (thresholds === undefined) return []
  const most = max ?? largestOf(series)
  if (thresholds.mode === 'percent' && most === undefined) return []
  return thresholds.steps.map((step, i) => ({
    value: limitOf(step, thresholds, most ?? 1, min),
    tone: toneOfStep(thresholds, i),
    word: step.name,
  }))
}

interface SpotProps {
  readonly spot: PlotSpot
  /** `look` of the line nearest to the pointer. */
  readonly near: number | undefined
  readonly lines: readonly LegendLine[]
  readonly atMs: number
  readonly bands: readonly UpgradeBand[]
}

/** The values of the lines at one moment: the nearest line first, then by value. */
function Spot({ spot, near, lines, atMs, bands }: SpotProps): ReactNode {
  const { zone } = usePreferences()
  const said = lines.flatMap((line) => {
    const value = line.values[spot.step]
    return line.isHidden || value === null || value === undefined ? [] : [{ line, value }]
  })
  said.sort((a, b) => Number(b.line.look === near) - Number(a.line.look === near) || b.value - a.value)
  return (
    <>
      <p className="nums quiet">
        {formatMoment(atMs, zone)}, {formatRelative(atMs, serverNowMs())}
      </p>
      {bandsAt(bands, atMs).map((text) => (
        <p key={text}>{text}</p>
      ))}
      {said.length === 0 ? <p>no samples</p> : null}
      {said.slice(0, SPOT_LINES_MAX).map(({ line, value }) => (
        <p key={line.key} className={classNames('row', line.look === near && 'text-strong')}>
          <LineSwatch line={line} />
          <span className="fills one-line">{line.name}</span>
          <span className="nums">{line.write(value)}</span>
        </p>
      ))}
      {said.length > SPOT_LINES_MAX ? <p className="quiet">and {said.length - SPOT_LINES_MAX} more</p> : null}
    </>
  )
}
