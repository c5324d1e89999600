import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { clusterPath } from '../lib/paths.ts'

interface ClusterLinkProps {
  readonly cluster: string
  /** The text for an alert without the label `cluster`. */
  readonly none?: string
}

/** The name of a cluster as a link to its page. */
export function ClusterLink({ cluster, none = 'no cluster' }: ClusterLinkProps): ReactNode {
  return cluster === '' ? none : <Link href={clusterPath(cluster)}>{cluster}</Link>
}
