import type { ReactNode } from 'react'
import styles from './block-chart.module.css'

const BLOCK = 6
const HEIGHT = 48

interface BlockChartProps {
  readonly values: readonly number[]
  /** The value of the full height, so that two charts can be compared. */
  readonly most: number
  /** What it says, in words. */
  readonly label: string
}

/** A bar for each block of time. The numbers that matter stand beside it as text. */
export function BlockChart({ values, most, label }: BlockChartProps): ReactNode {
  return (
    <svg
      className={styles.root}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, values.length) * BLOCK} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {values.map((value, i) => {
        const height = value <= 0 ? 0.75 : Math.max(3, (value / most) * HEIGHT)
        return (
          <rect
            key={i}
            fill={value <= 0 ? 'var(--dt-line-strong)' : 'var(--dt-bar)'}
            x={i * BLOCK}
            y={HEIGHT - height}
            width={BLOCK - 1}
            height={height}
          />
        )
      })}
    </svg>
  )
}
