import type { CSSProperties, ReactNode } from 'react'
import type { PieOptions } from '../../../model/dashboard.ts'
import { toBars, wholeOf, type Bar } from '../../lib/dashboards/bar-groups.ts'
import { formatUnit } from '../../lib/dashboards/format-unit.ts'
import { countOf, formatShares, formatValue } from '../../lib/format-number.ts'
import { cssColor, seriesToken } from '../../lib/palette.ts'
import { classNames } from '../../ui/class-names.ts'
import type { ChartProps } from './value-panel.tsx'
import styles from './pie-panel.module.css'

const ROWS_MAX = 100

/** A ring of shares, with a list of their names beside it or below. */
export function PiePanel({ data, options, formatContext }: ChartProps<PieOptions>): ReactNode {
  const { calculation, format, mode, sort, legend, radius } = options
  const { groups } = toBars(data.series, { calculation, sort, groupBy: [], colorOverrides: [] })
  const rows = groups.flatMap(({ bars }) => bars)
  const shares = formatShares(
    rows.map(({ value }) => Math.max(0, value ?? 0)),
    wholeOf(rows),
  )
  const wanted = legend?.values ?? []
  const hasNumber = wanted.length === 0 ? mode === 'value' : wanted.includes('abs')
  const hasShare = wanted.length === 0 || wanted.includes('relative')
  const isBelow = legend?.position === 'bottom'
  const isSmall = legend?.size === 'small'
  return (
    <>
      <div
        className={classNames('fills scrolls', styles.root, isBelow && styles.below)}
        style={{ '--radius': radius / USUAL_RADIUS } as CSSProperties}
      >
        <Ring slices={rows.map((bar) => ({ share: bar.share, color: colorOf(bar) }))} />
        <ul className={classNames('bar-list', isSmall && 'text-tiny')} tabIndex={0} aria-label="Shares">
          {rows.slice(0, ROWS_MAX).map((bar, i) => {
            const { name, value } = bar
            return (
              <li key={`${name} ${i}`}>
                <span className="bar-list-name" title={name}>
                  <span
                    className={`keeps-color ${styles.swatch}`}
                    style={{ background: colorOf(bar) }}
                    aria-hidden="true"
                  />
                  {name}
                </span>
                {hasNumber ? (
                  <span className="nums bar-list-count" title={value === null ? 'no value' : formatValue(value)}>
                    {value === null ? 'no value' : formatUnit(value, format, formatContext)}
                  </span>
                ) : null}
                {hasShare ? <span className="quiet nums bar-list-share">{shares[i]}</span> : null}
              </li>
            )
          })}
        </ul>
      </div>
      {rows.length > ROWS_MAX ? (
        <p className="quiet text-tiny one-line rigid">
          {countOf(rows.length - ROWS_MAX, 'more is', 'more are')} not listed.
        </p>
      ) : null}
    </>
  )
}

/** The default radius of a file. */
const USUAL_RADIUS = 50
const RING = { radius: 36, width: 16 } as const
const AROUND = 2 * Math.PI * RING.radius

/** The list has the same colors, in the same order from the top clockwise. */
function colorOf({ look, color }: Bar): string {
  return cssColor(color ?? seriesToken(look))
}

interface Slice {
  readonly share: number
  readonly color: string
}

function Ring({ slices }: { readonly slices: readonly Slice[] }): ReactNode {
  const before = slices.map((_slice, i) => slices.slice(0, i).reduce((sum, { share }) => sum + share, 0))
  return (
    <svg className={styles.ring} viewBox="0 0 100 100" aria-hidden="true">
      {slices.map(({ share, color }, i) => (
        <circle
          key={i}
          stroke={color}
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
