import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { metricsPath, clusterPath } from '../../lib/paths.ts'
import type { Label } from '../../lib/promql-table.ts'
import styles from './label-links.module.css'

/** The page about the value of a label: of a cluster, of a metric; `undefined`: there is none. */
export function pageOfLabel(name: string, value: string): string | undefined {
  if (value === '') return undefined
  if (name === 'cluster') return clusterPath(value)
  if (name === '__name__') return metricsPath({ show: 'all', metric: value })
  return undefined
}

/** Labels that all series have, once for all. */
export function SharedLabels({ labels }: { readonly labels: readonly Label[] }): ReactNode {
  if (labels.length === 0) return null
  return (
    <p className={`row row-text text-small space-above ${styles.root}`}>
      {labels.map(([name, value]) => {
        const page = pageOfLabel(name, value)
        return (
          <span key={name}>
            <span className="quiet">{name === '__name__' ? 'metric' : name}</span>{' '}
            {page === undefined ? value : <Link href={page}>{value}</Link>}
          </span>
        )
      })}
    </p>
  )
}
