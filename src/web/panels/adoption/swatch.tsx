import type { ReactNode } from 'react'
import { rampColor } from '../../lib/version-order.ts'
import { classNames } from '../../ui/class-names.ts'
import { ChartLine, type ChartFill } from '../../ui/step-chart.tsx'
import styles from './swatch.module.css'

/** The fill of an area beside its name in a legend. */
export function Swatch({ fill }: { readonly fill: ChartFill }): ReactNode {
  return typeof fill === 'number' ? (
    <span
      className={classNames('keeps-color', styles.box)}
      style={{ background: rampColor(fill) }}
      aria-hidden="true"
    />
  ) : (
    <span
      className={classNames('keeps-color', styles.box, fill === 'other' ? styles.other : styles.unreported)}
      aria-hidden="true"
    />
  )
}

/** The look of a line beside its name in a legend. */
export function LineSwatch({ step, dashes }: { readonly step: number; readonly dashes: string }): ReactNode {
  return (
    <svg className={styles.line} width="28" height="8" aria-hidden="true">
      <ChartLine d="M0 4H28" step={step} dashes={dashes} />
    </svg>
  )
}
