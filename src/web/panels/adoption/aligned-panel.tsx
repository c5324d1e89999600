import { useState, type ReactNode } from 'react'
import {
  ageOf,
  lastShare,
  alignedDays,
  comparedWith,
  forecastPlaces,
  accuracySentence,
  forecastSentence,
  ROLLOUT_STEPS,
  rolloutStepOf,
} from '../../lib/adoption-spread.ts'
import { dashesOf, LINE_STEP_MIN, rampOf, rampToken, type ColorToken } from '../../lib/palette.ts'
import type { ForecastItem, SpreadAnswer, SpreadItem } from '../../../contract/adoption.ts'
import { adoptionCall, adoptionPromql, type AskParams } from '../../lib/adoption-call.ts'
import { countOf, formatShare } from '../../lib/format-number.ts'
import { steppedLine } from '../../lib/stacked-areas.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { ChartLine, StepChart, type ChartScale } from '../../ui/step-chart.tsx'
import chartStyles from '../../ui/step-chart.module.css'
import { ChartBeside, ChartPanel, type AdoptionPart } from './chart-panel.tsx'
import { SpreadTable } from './spread-table.tsx'
import { LineSwatch } from './swatch.tsx'

/** The spread of `version` and others, aligned by the first day of each: `asked` is all counted days, which have that day. */
export function AlignedPanel(part: AdoptionPart & { readonly version: string }): ReactNode {
  const { view, change, asked, version } = part
  const unit = view.by === 'version' ? 'version' : 'minor'
  const callFor = (params: AskParams): string => adoptionCall('spread', view, { ...params, by: unit })
  const query = useAdoption<SpreadAnswer>(callFor(asked))
  return (
    <ChartPanel
      {...part}
      name="spread"
      title="Aligned by age"
      lead="Share of clusters on a version or newer, by days since the first install of the version."
      query={query}
      basisOf={({ basis }) => basis}
      callFor={callFor}
      promql={adoptionPromql(view, unit)}
      chart={({ versions, basis, forecast }) => {
        const compared = comparedWith(versions, version, view.compare)
        return (
          <>
            <AlignedChart versions={versions} compared={compared} version={version} forecast={forecast} />
            <ForecastNote forecast={forecast} />
            <SpreadTable
              versions={versions}
              telling={basis.telling}
              compared={compared}
              onCompare={(compare) => {
                change({ compare })
              }}
            />
          </>
        )
      }}
    />
  )
}

interface AlignedChartProps {
  readonly versions: readonly SpreadItem[]
  readonly compared: readonly string[]
  readonly version: string
  readonly forecast: ForecastItem
}

/** Versions of the same colour, or of a similar one, differ by dashes: each line has its own. */
const dashesAt = (place: number): string => dashesOf(4 * place).join(' ')

function AlignedChart({ versions, compared, version, forecast }: AlignedChartProps): ReactNode {
  const [pointed, setPointed] = useState<number>()
  const lines = versions.filter((one) => compared.includes(one.version))
  if (lines.length === 0) return <p className="quiet empty">No version with a known first install.</p>
  // The fan continues a line; without that line it is meaningless.
  const isForecast = forecast.reason === null && lines.some((one) => one.version === forecast.version)
  const drawn = alignedDays(lines, version)
  const days = isForecast ? forecastPlaces(forecast, drawn) : drawn
  const ramp = rampOf(versions.map((one) => one.version))
  const colorOf = (line: SpreadItem): ColorToken => rampToken(Math.max(LINE_STEP_MIN, ramp.get(line.version) ?? 1))
  const shown = pointed ?? Math.min(days - 1, ageOf(lines.find((one) => one.version === version) ?? lines[0]!))
  return (
    <ChartBeside legend={<AlignedLegend lines={lines} day={shown} colorOf={colorOf} />}>
      <StepChart
        label={`Share by age in days: ${lines.map((line) => line.version).join(', ')}`}
        places={days}
        ticks={(widthPx) => ageTicks(days, Math.floor(widthPx / 60))}
        levels={[0, 0.1, 0.5, 0.9, 1].map((at) => ({ at, text: `${100 * at} %` }))}
        heightPx={280}
        besidePx={56}
        pointed={pointed}
        onPoint={setPointed}
      >
        {(scale) => (
          <>
            <StageZones scale={scale} />
            {isForecast ? <ForecastFan forecast={forecast} scale={scale} places={days} /> : null}
            {lines.map((line, i) => (
              <ChartLine
                key={line.version}
                color={colorOf(line)}
                dashes={dashesAt(i)}
                d={steppedLine(line.byAge.slice(0, days), scale)}
              />
            ))}
          </>
        )}
      </StepChart>
    </ChartBeside>
  )
}

/** The stages of a rollout as alternating zones, with their names at the right. */
function StageZones({ scale }: { readonly scale: ChartScale }): ReactNode {
  return ROLLOUT_STEPS.map(({ name, from }, i) => {
    const until = ROLLOUT_STEPS[i + 1]?.from ?? 1
    return (
      <g key={name} aria-hidden="true">
        {i % 2 === 0 ? (
          <rect
            fill="var(--dt-surface-sunken)"
            x={scale.left}
            width={scale.right - scale.left}
            y={scale.y(until)}
            height={scale.y(from) - scale.y(until)}
          />
        ) : null}
        <text
          className={chartStyles.text}
          x={scale.right + 8}
          y={scale.y((from + until) / 2)}
          dominantBaseline="middle"
        >
          {name}
        </text>
      </g>
    )
  })
}

interface AlignedLegendProps {
  readonly lines: readonly SpreadItem[]
  /** The age that the numbers are of, in days. */
  readonly day: number
  readonly colorOf: (line: SpreadItem) => ColorToken
}

function AlignedLegend({ lines, day, colorOf }: AlignedLegendProps): ReactNode {
  return (
    <>
      <DataTable
        label="Share at one age"
        caption={`At day ${day}`}
        look="prose"
        columns={[
          {
            head: 'Version',
            cell: (line, i) => (
              <>
                <LineSwatch color={colorOf(line)} dashes={dashesAt(i)} /> {line.version}
              </>
            ),
          },
          { head: 'On it or newer', kind: 'number', cell: ({ byAge }) => ageShare(byAge[day]) },
          { head: 'Stage', cell: ({ byAge }) => (typeof byAge[day] === 'number' ? rolloutStepOf(byAge[day]) : '') },
        ]}
        rows={lines}
        rowKey={({ version }) => version}
      />
      <p className="quiet">{ageNote(lines)}</p>
    </>
  )
}

function ageShare(share: number | null | undefined): string {
  if (share === undefined) return 'not reached'
  return share === null ? 'not counted' : formatShare(share, 1)
}

function ageNote(lines: readonly SpreadItem[]): string {
  return lines
    .map((line) => `${line.version} is ${countOf(ageOf(line), 'day')} old, at ${formatShare(lastShare(line) ?? 0, 1)}.`)
    .join(' ')
}

function ageTicks(days: number, most: number): readonly { readonly at: number; readonly text: string }[] {
  const every = [1, 2, 7, 14, 28, 56, 91, 182, 364].find((step) => days / step <= most) ?? 728
  return Array.from({ length: Math.ceil(days / every) }, (_, i) => ({ at: i * every, text: `day ${i * every}` }))
}

interface ForecastFanProps {
  readonly forecast: ForecastItem
  readonly scale: ChartScale
  /** Days of the chart. */
  readonly places: number
}

/** The forecast as a fan in the chart: nine of ten earlier versions stayed below its upper and above its lower edge. */
function ForecastFan({ forecast: { ageDays, share, fan }, scale, places }: ForecastFanProps): ReactNode {
  const shown = fan.slice(0, Math.max(0, places - ageDays - 1))
  if (shown.length === 0) return null
  const point = (i: number, value: number): string =>
    `${scale.x(ageDays + 0.5 + i).toFixed(2)} ${scale.y(value).toFixed(2)}`
  const line = (of: (day: ForecastItem['fan'][number]) => number): string[] => [
    point(0, share),
    ...shown.map((day, i) => point(i + 1, of(day))),
  ]
  const lower = line(({ low }) => low).reverse()
  return (
    <g aria-hidden="true">
      <path fill="var(--dt-text)" fillOpacity={0.12} d={`M${[...line(({ high }) => high), ...lower].join('L')}Z`} />
      <path
        fill="none"
        stroke="var(--dt-text)"
        strokeDasharray="1 4"
        strokeLinecap="round"
        strokeWidth={2}
        d={`M${line(({ mid }) => mid).join('L')}`}
      />
    </g>
  )
}

/** The day of 90 % adoption, and the accuracy of the forecast for earlier versions. */
function ForecastNote({ forecast }: { readonly forecast: ForecastItem }): ReactNode {
  return (
    <div className="stack spaced" role="group" aria-label="Forecast">
      <p className="nums">{forecastSentence(forecast)}</p>
      {forecast.reason === null ? <p className="quiet nums">{accuracySentence(forecast)}</p> : null}
      {forecast.past.length === 0 ? null : (
        <details>
          <summary>Forecasts for earlier versions, compared with the actual share</summary>
          <DataTable
            label="Forecasts of earlier versions"
            look="prose"
            columns={PAST_COLUMNS}
            rows={forecast.past}
            rowKey={({ version }) => version}
          />
        </details>
      )}
    </div>
  )
}

const PAST_COLUMNS: readonly Column<ForecastItem['past'][number]>[] = [
  { head: 'Version', kind: 'name', cell: ({ version }) => version },
  { head: 'Forecast', kind: 'number', cell: ({ saidShare }) => formatShare(saidShare, 1) },
  { head: 'Actual', kind: 'number', cell: ({ wasShare }) => formatShare(wasShare, 1) },
  { head: '90 % forecast', kind: 'number', cell: ({ saidTo90Days }) => dayOr(saidTo90Days, 'beyond') },
  { head: '90 % actual', kind: 'number', cell: ({ tookTo90Days }) => dayOr(tookTo90Days, 'not yet') },
  { head: 'Within the range', kind: 'number', cell: ({ isInside }) => (isInside ? 'yes' : 'no') },
]

function dayOr(days: number | null, none: string): ReactNode {
  return days === null ? <span className="quiet">{none}</span> : `day ${days}`
}
