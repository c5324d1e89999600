import type { ReactNode } from 'react'
import type { BarOptions, PieOptions } from '../../../model/dashboard.ts'
import { calculate } from '../../lib/dashboards/calculate.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import type { Beholder } from '../../lib/dashboards/format-unit.ts'
import type { PanelData } from '../../lib/dashboards/series.ts'
import { formatShare, formatValue } from '../../lib/format-number.ts'

/** Panels that compare one number of each series: bars, and a ring of shares with the same list beside it. */
interface SharesPanelProps {
  readonly data: PanelData
  readonly options: BarOptions | PieOptions
  readonly beholder: Beholder
}

const ROWS_MAX = 100

export function SharesPanel({ data, options, beholder }: SharesPanelProps): ReactNode {
  const { calculation, format, mode, sort } = options
  const rows = data.series.map((series, i) => {
    return {
      key: `${series.queryIndex} ${series.name} ${i}`,
      name: series.name,
      value: calculate(series.values, calculation) ?? 0,
    }
  })
  if (sort !== undefined) rows.sort((a, b) => (sort === 'asc' ? a.value - b.value : b.value - a.value))
  const total = rows.reduce((sum, { value }) => sum + Math.max(0, value), 0)
  const most = Math.max(0, ...rows.map(({ value }) => value))
  return (
    <div className={`shares shares-${options.kind === 'PieChart' ? 'pie' : 'bar'}`}>
      {options.kind === 'PieChart' ? (
        <Ring shares={rows.map(({ value }) => (total > 0 ? Math.max(0, value) / total : 0))} />
      ) : null}
      <ul className="bar-list">
        {rows.slice(0, ROWS_MAX).map(({ key, name, value }, i) => (
          <li key={key}>
            <span className="bar-list-name" title={name}>
              {options.kind === 'PieChart' ? (
                <span className={`share-swatch swatch-${(i % SHADES) + 1}`} aria-hidden="true" />
              ) : null}
              {name}
            </span>
            {options.kind === 'PieChart' ? null : (
              <span className="bar-list-track" aria-hidden="true">
                <span style={{ inlineSize: `${most > 0 ? (100 * Math.max(0, value)) / most : 0}%` }} />
              </span>
            )}
            {mode === 'percentage' ? null : (
              <span className="nums bar-list-count" title={formatValue(value)}>
                {formatUnit(value, format, beholder)}
              </span>
            )}
            <span className="nums bar-list-share">{formatShare(value, total)}</span>
          </li>
        ))}
      </ul>
      {rows.length > ROWS_MAX ? <p className="panel-note">{rows.length - ROWS_MAX} more are not drawn.</p> : null}
    </div>
  )
}

const RING = { radius: 36, width: 16 } as const
const AROUND = 2 * Math.PI * RING.radius
/** Slices are told apart by lightness, which the list beside it repeats, in the same order from the top clockwise. */
const SHADES = 4

function Ring({ shares }: { readonly shares: readonly number[] }): ReactNode {
  const before = shares.map((_share, i) => shares.slice(0, i).reduce((sum, share) => sum + share, 0))
  return (
    <svg className="ring" viewBox="0 0 100 100" aria-hidden="true">
      {shares.map((share, i) => (
        <circle
          key={i}
          className={`ring-slice swatch-${(i % SHADES) + 1}`}
          cx="50"
          cy="50"
          r={RING.radius}
          strokeWidth={RING.width}
          strokeDasharray={`${Math.max(0, share * AROUND - 1)} ${AROUND}`}
          strokeDashoffset={-(before[i] ?? 0) * AROUND}
          transform="rotate(-90 50 50)"
        />
      ))}
    </svg>
  )
}
