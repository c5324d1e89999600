import { type ReactNode, useId, useState } from 'react'
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
      <h2 id="choose-cluster">Select a cluster</h2>
      <p className="quiet">
        Each cluster that sends objects has a log of object changes: every received state, with the changed fields.
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
                  ? `${formatCount(CHOICES_MAX)} of ${countOf(total, 'cluster')}, by name: search by a part of the name above, or see all in `
                  : `${countOf(total, 'cluster')}${text.trim() === '' ? '' : ' with a matching name'}. Details are in `}
                <Link href={clustersPath()}>Fleet</Link>.
              </p>
            </>
          ) : text.trim() === '' ? (
            <NoClusterNote />
          ) : (
            <p role="status">No cluster name contains “{text.trim()}”.</p>
          )
        }
      </Answer>
    </section>
  )
}

/** Similar names where no cluster has the name; nothing where one has. */
export function UnknownCluster({
  cluster,
  hrefOf,
}: Omit<ChooseClusterProps, 'text'> & { readonly cluster: string }): ReactNode {
  const { data, isPlaceholderData } = useClusterNames(cluster)
  // More than are read may have it among them.
  if (data === undefined || isPlaceholderData || data.total > data.names.length || data.names.includes(cluster))
    return null
  return (
    <Notice kind="note" title={`No cluster has the name ${cluster}`}>
      {data.names.length === 0 ? 'Select another cluster above.' : 'Similar names: '}
      {data.names.slice(0, CHOICES_MAX).map((name) => (
        <span key={name}>
          <Link href={hrefOf(name)}>{name}</Link>{' '}
        </span>
      ))}
    </Notice>
  )
}

interface ClusterFieldProps {
  /** Empty: any. */
  readonly value: string
  readonly onChange: (cluster: string) => void
  /** What is written, which may be a part of a name. */
  readonly onTyped?: (text: string) => void
}

/** The name of a cluster, completed from those that are known. It counts when it is one of them, or by Enter. */
export function ClusterField({ value, onChange, onTyped }: ClusterFieldProps): ReactNode {
  const [typed, setTyped] = useState(value)
  const { data, isPlaceholderData } = useClusterNames(typed)
  const names = data?.names ?? []
  const only = !isPlaceholderData && typed.trim() !== '' && names.length === 1 ? names[0] : undefined
  const id = useId()
  return (
    <>
      <input
        type="search"
        className="filters-search"
        aria-label="Cluster"
        placeholder="Cluster"
        list={id}
        value={typed}
        onChange={(event) => {
          const text = event.target.value
          setTyped(text)
          onTyped?.(text)
          if (text === '' || names.includes(text)) onChange(text)
        }}
        onKeyDown={(event) => {
          // A part that only one has is as good as its name.
          if (event.key === 'Enter') onChange(only ?? typed.trim())
        }}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
