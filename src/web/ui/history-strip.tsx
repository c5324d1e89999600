import type { ReactNode } from 'react'
import { countOf } from '../lib/format-number.ts'
import styles from './history-strip.module.css'

const WIDTH = 4
const HEIGHT = 14

/** The last day of an alert, a bar for each hour: as high as the share of the hour in which it fired. */
export function HistoryStrip({ shares }: { readonly shares: readonly number[] | undefined }): ReactNode {
  if (shares === undefined) return <span className={styles.root} aria-hidden="true" />
  const fired = shares.filter((share) => share > 0).length
  const says =
    fired === 0 ? 'did not fire in this range' : `fired in ${fired} of the last ${countOf(shares.length, 'hour')}`
  return (
    <svg
      className={`keeps-color ${styles.root}`}
      role="img"
      aria-label={says}
      viewBox={`0 0 ${shares.length * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <title>{says}</title>
      {shares.map((share, i) => {
        const height = share <= 0 ? 1 : Math.max(4, Math.round(share * HEIGHT))
        return (
          <rect
            key={i}
            fill={share <= 0 ? 'var(--dt-line-strong)' : 'var(--dt-bar)'}
            x={i * WIDTH}
            y={HEIGHT - height}
            width={WIDTH - 1}
            height={height}
          />
        )
      })}
    </svg>
  )
}
