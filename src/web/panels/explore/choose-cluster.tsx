import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { clustersPath } from '../../lib/paths.ts'
import { useClusterNames } from '../../query/use-logs.ts'
import { Notice } from '../../ui/notice.tsx'
import { Answer } from '../answer.tsx'
import { NoClusterNote } from '../fleet/fleet-coverage.tsx'
import styles from './choose-cluster.module.css'

const CHOICES_MAX = 24

interface ChooseClusterProps {
  /** Part of a name, as it is written in the field above. */
  readonly text: string
  readonly hrefOf: (cluster: string) => string
}

/** Clusters whose objects changed can be read of one at a time: which one? What is written above narrows the list. */
export function ChooseCluster({ text, hrefOf }: ChooseClusterProps): ReactNode {
  const names = useClusterNames(text.trim())
  return (
    <section className="panel" aria-labelledby="choose-cluster">
      <h2 id="choose-cluster">Of which cluster?</h2>
      <p className="quiet">
        Each cluster that sends its objects has a log of them: every state that was seen, and which fields it changed.
      </p>
      <Answer query={names} what="the clusters" skeletonLines={4}>
        {({ names: all, total }) =>
          total > 0 ? (
            <>
              <ul className={`plain-list ${styles.root}`}>
                {all.slice(0, CHOICES_MAX).map((cluster) => (
                  <li key={cluster}>
                    <Link href={hrefOf(cluster)}>{cluster}</Link>
                  </li>
                ))}
              </ul>
              <p className="quiet" role="status">
                {total > CHOICES_MAX
                  ? `${formatCount(CHOICES_MAX)} of ${countOf(total, 'cluster')}, by name: write a part of a name above, or choose one in `
                  : `${countOf(total, 'cluster')}${text.trim() === '' ? '' : ' with that in the name'}. What they are is in `}
                <Link href={clustersPath()}>Fleet</Link>.
              </p>
            </>
          ) : text.trim() === '' ? (
            <NoClusterNote />
          ) : (
            <p role="status">No cluster has “{text.trim()}” in its name.</p>
          )
        }
      </Answer>
    </section>
  )
}

/** Said where nothing changed: of a name that nobody knows nothing could. Nothing where it is known. */
export function UnknownCluster(props: {
  readonly cluster: string
  readonly hrefOf: (cluster: string) => string
}): ReactNode {
  const { cluster, hrefOf } = props
  const { data, isPlaceholderData } = useClusterNames(cluster)
  // More than are read may have it among them.
  if (data === undefined || isPlaceholderData || data.total > data.names.length || data.names.includes(cluster))
    return null
  return (
    <Notice kind="note" title={`No cluster is called ${cluster}`}>
      {data.names.length === 0 ? 'Choose another one above.' : 'Perhaps one of these: '}
      {data.names.slice(0, CHOICES_MAX).map((name) => (
        <span key={name}>
          <Link href={hrefOf(name)}>{name}</Link>{' '}
        </span>
      ))}
    </Notice>
  )
}
