import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { FleetCoverage } from '../../../contract/common.ts'
import { clustersPath, ROUTES } from '../../lib/paths.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { Shape } from '../../ui/shapes.tsx'
import { Ago } from '../../ui/time.tsx'

/** The number of clusters behind an answer, and its age: one line, which opens to details. */
export function FleetCoverageNote({ coverage }: { readonly coverage: FleetCoverage }): ReactNode {
  const { clusters, withObjects, withMetrics, withSpans, silent, unknown, gone, newestAt, oldestAt } = coverage
  if (clusters + gone === 0) return <span className="quiet text-small">No cluster has reported yet</span>
  const heard = clusters - silent
  return (
    <details className="quiet text-small at-end">
      <summary>
        <Shape name={silent + unknown > 0 ? 'ring' : 'check'} />
        <span className="nums">
          {formatCount(heard)} of {countOf(clusters, 'cluster')} heard ({formatShare(heard, clusters)})
        </span>
        {newestAt === null ? null : (
          <>
            , newest <Ago at={newestAt} />
          </>
        )}
      </summary>
      <ul className="plain-list">
        <li>
          {formatCount(withObjects)} send objects: exact to the second. {formatCount(withMetrics)} send metrics: exact
          to a scrape. {formatCount(withSpans)} send spans.
        </li>
        <li>
          {formatCount(silent)} silent: what is shown of them is what was last heard.
          {oldestAt === null ? null : (
            <>
              {' '}
              Of the others the oldest was heard <Ago at={oldestAt} />.
            </>
          )}
        </li>
        <li>{formatCount(unknown)} tell no version of any operator: they are in no share by version.</li>
        {gone === 0 ? null : (
          <li>
            Beside them <Link href={clustersPath({ state: 'gone' })}>{formatCount(gone)} gone</Link>: switched off for
            good, and in none of these numbers.
          </li>
        )}
      </ul>
    </details>
  )
}

/** The text of a list while no cluster has reported: an empty list would look like good news. */
export function NoClusterNote(): ReactNode {
  return (
    <p className="empty quiet">
      No cluster has reported yet. <Link href={ROUTES.now}>How to connect one</Link>
    </p>
  )
}
