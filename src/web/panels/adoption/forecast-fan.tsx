import type { ReactNode } from 'react'
import type { ForecastItem } from '../../../contract/adoption.ts'
import { accuracySentence, forecastSentence } from '../../lib/forecast-words.ts'
import { formatShare } from '../../lib/format-number.ts'
import type { ChartScale } from '../../ui/step-chart.tsx'
import styles from './forecast-fan.module.css'

interface ForecastFanProps {
  readonly forecast: ForecastItem
  readonly scale: ChartScale
  /** Days that are drawn. */
  readonly places: number
}

/** What may come, in the chart of what came: nine of ten earlier versions below its upper edge and above its lower one. */
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

/** When nine tenths will run it, and what the same method said before. */
export function ForecastNote({ forecast }: { readonly forecast: ForecastItem }): ReactNode {
  return (
    <div className={styles.note} role="group" aria-label="Forecast">
      <p className="nums">{forecastSentence(forecast)}</p>
      {forecast.reason === null ? <p className="quiet nums">{accuracySentence(forecast)}</p> : null}
      {forecast.past.length === 0 ? null : (
        <details>
          <summary>What it would have said of earlier versions</summary>
          <table className="prose-table" aria-label="Forecasts of earlier versions">
            <thead>
              <tr>
                <th scope="col">Version</th>
                {['Said', 'Was', '90 % said', '90 % was', 'In the fan'].map((title) => (
                  <th key={title} scope="col" className="cell-number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {forecast.past.map((one) => (
                <tr key={one.version}>
                  <th scope="row">{one.version}</th>
                  <td className="cell-number nums">{formatShare(one.saidShare, 1)}</td>
                  <td className="cell-number nums">{formatShare(one.wasShare, 1)}</td>
                  <td className="cell-number nums">{dayOr(one.saidTo90Days, 'beyond')}</td>
                  <td className="cell-number nums">{dayOr(one.tookTo90Days, 'not yet')}</td>
                  <td className="cell-number">{one.isInside ? 'yes' : 'no'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </div>
  )
}

function dayOr(days: number | null, none: string): ReactNode {
  return days === null ? <span className="quiet">{none}</span> : `day ${days}`
}
