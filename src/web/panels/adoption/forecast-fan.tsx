import type { ReactNode } from 'react'
import type { ForecastItem } from '../../../contract/adoption.ts'
import { accuracySentence, forecastSentence } from '../../lib/adoption-spread.ts'
import { formatShare } from '../../lib/format-number.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import type { ChartScale } from '../../ui/step-chart.tsx'

interface ForecastFanProps {
  readonly forecast: ForecastItem
  readonly scale: ChartScale
  /** Days of the chart. */
  readonly places: number
}

/** The forecast as a fan in the chart: nine of ten earlier versions stayed below its upper and above its lower edge. */
export function ForecastFan({ forecast: { ageDays, share, fan }, scale, places }: ForecastFanProps): ReactNode {
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
export function ForecastNote({ forecast }: { readonly forecast: ForecastItem }): ReactNode {
  return (
    <div className="stack spaced" role="group" aria-label="Forecast">
      <p className="nums">{forecastSentence(forecast)}</p>
      {forecast.reason === null ? <p className="quiet nums">{accuracySentence(forecast)}</p> : null}
      {forecast.past.length === 0 ? null : (
        <details>
          <summary>What it would have said of earlier versions</summary>
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
  { head: 'Said', kind: 'number', cell: ({ saidShare }) => formatShare(saidShare, 1) },
  { head: 'Was', kind: 'number', cell: ({ wasShare }) => formatShare(wasShare, 1) },
  { head: '90 % said', kind: 'number', cell: ({ saidTo90Days }) => dayOr(saidTo90Days, 'beyond') },
  { head: '90 % was', kind: 'number', cell: ({ tookTo90Days }) => dayOr(tookTo90Days, 'not yet') },
  { head: 'In the fan', kind: 'number', cell: ({ isInside }) => (isInside ? 'yes' : 'no') },
]

function dayOr(days: number | null, none: string): ReactNode {
  return days === null ? <span className="quiet">{none}</span> : `day ${days}`
}
