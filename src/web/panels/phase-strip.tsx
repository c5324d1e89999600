import type { ReactNode } from 'react'
import type { Now } from '../../contract/now.ts'
import { formatCount } from '../lib/format-number.ts'
import { phaseName, phaseWords } from '../lib/fleet-names.ts'
import { classNames } from '../ui/class-names.ts'
import { Shape } from '../ui/shapes.tsx'
import styles from './phase-strip.module.css'

/** Active upgrades by phase, in the order of an upgrade: one cell per phase, darker for more. The numbers say the same. */
export function PhaseStrip({ phases }: { readonly phases: Now['upgrading']['byPhase'] }): ReactNode {
  const most = Math.max(1, ...phases.map(({ count }) => count))
  return (
    <ol className={`row list text-small spaced ${styles.root}`} aria-label="Upgrades by phase">
      {phases.map(({ phase, count, stuck }) => (
        <li key={phase ?? ''}>
          <span className={styles.heat} aria-hidden="true" style={{ opacity: 0.03 + (0.09 * count) / most }} />
          <span className={classNames(styles.text, styles.count, 'nums')}>{formatCount(count)}</span>
          <span className={styles.text} {...(phase === null ? {} : { title: phaseName(phase) })}>
            {phaseWords(phase)}
          </span>
          {stuck > 0 ? (
            <span className={classNames(styles.text, 'tone-critical')}>
              <Shape name="triangle" /> {formatCount(stuck)} stuck
            </span>
          ) : null}
        </li>
      ))}
    </ol>
  )
}
