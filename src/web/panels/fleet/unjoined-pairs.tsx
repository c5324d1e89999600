import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { clusterPath } from '../../lib/paths.ts'
import { useUnjoined } from '../../query/use-clusters.ts'
import { Notice } from '../../ui/notice.tsx'

/** Names that are probably one cluster, each pair with what to change at which sender. Nothing where there are none. */
export function UnjoinedPairs(): ReactNode {
  const { unjoined = [], total = 0 } = useUnjoined().data ?? {}
  if (total === 0) return null
  return (
    <Notice
      kind="partial"
      title={`${countOf(total, 'cluster is', 'clusters are')} probably counted twice: senders use two names.`}
    >
      <details>
        <summary>Names and actions</summary>
        <ul className="plain-list">
          {unjoined.map(({ clusters, action }) => (
            <li key={clusters.join(' ')}>
              {clusters.map((name, i) => (
                <span key={name}>
                  {i === 0 ? '' : ' and '}
                  <Link href={clusterPath(name)}>{name}</Link>
                </span>
              ))}
              . {action.split('`').map((text, i) => (i % 2 === 0 ? text : <code key={i}>{text}</code>))}
            </li>
          ))}
          {total > unjoined.length ? <li className="quiet">And {formatCount(total - unjoined.length)} more.</li> : null}
        </ul>
      </details>
    </Notice>
  )
}
