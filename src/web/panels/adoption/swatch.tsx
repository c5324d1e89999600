import type { ReactNode } from 'react'
import { cssColor, type ColorToken } from '../../lib/palette.ts'
import { classNames } from '../../ui/class-names.ts'
import { ChartLine, isHatch, type ChartFill } from '../../ui/step-chart.tsx'
import styles from './swatch.module.css'

/** The fill of an area beside its name in a legend. */
export function Swatch({ fill }: { readonly fill: ChartFill }): ReactNode {
  return isHatch(fill) ? (
    <span
      className={classNames('keeps-color', styles.box, fill === 'other' ? styles.other : styles.unreported)}
      aria-hidden="true"
    />
  ) : (
    <span className={classNames('keeps-color', styles.box)} style={{ background: cssColor(fill) }} aria-hidden="true" />
  )
}

/** The look of a line beside its name in a legend. */
export function LineSwatch({ color, dashes }: { readonly color: ColorToken; readonly dashes: string }): ReactNode {
  return (
    <svg className={styles.line} width="28" height="8" aria-hidden="true">
      <ChartLine d="M0 4H28" color={color} dashes={dashes} />
    </svg>
  )
}
