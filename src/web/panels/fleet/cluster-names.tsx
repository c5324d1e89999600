import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { countOf } from '../../lib/format-number.ts'
import { clusterPath } from '../../lib/paths.ts'

const SHOWN = 3

interface ClusterNamesProps {
  readonly clusters: { readonly count: number; readonly names: readonly string[] }
  readonly none?: string
}

/** The first clusters by name, as links, and how many there are. */
export function ClusterNames({ clusters: { count, names }, none = 'none' }: ClusterNamesProps): ReactNode {
  if (count === 0) return <span className="quiet">{none}</span>
  return (
    <>
      <span className="nums">{countOf(count, 'cluster')}: </span>
      {names.slice(0, SHOWN).map((name) => (
        <span key={name} className="inline-item">
          <Link href={clusterPath(name)}>{name}</Link>
        </span>
      ))}
      {count > SHOWN ? <span className="quiet">…</span> : null}
    </>
  )
}
