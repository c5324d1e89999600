import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Hazard } from '../../lib/cluster-hazards.ts'
import { runbookPath } from '../../lib/paths.ts'
import { classNames } from '../../ui/class-names.ts'
import { Shape } from '../../ui/shapes.tsx'
import styles from './hazard-list.module.css'

/** Known hazards, the worst first, each with its runbook. */
export function HazardList({ hazards }: { readonly hazards: readonly Hazard[] }): ReactNode {
  if (hazards.length === 0) return <p className="quiet">No known hazards.</p>
  return (
    <ul className={`entries pairs ${styles.root}`}>
      {hazards.map(({ name, text, weight, alertname }) => (
        <li key={`${name} ${text}`}>
          <span className={classNames('inline-row row-text', weight === 'bad' ? 'tone-critical' : 'tone-warning')}>
            <Shape name={weight === 'bad' ? 'cross' : 'diamond'} />
            <strong>{name}</strong>
          </span>
          <span>
            {text} {alertname === undefined ? null : <Link href={runbookPath(alertname)}>Runbook</Link>}
          </span>
        </li>
      ))}
    </ul>
  )
}
