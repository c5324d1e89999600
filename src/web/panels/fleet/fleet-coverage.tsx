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
          {formatCount(heard)} of {countOf(clusters, 'cluster')} reporting ({formatShare(heard, clusters)})
        </span>
        {newestAt === null ? null : (
          <>
            , newest report <Ago at={newestAt} isToMinute />
          </>
        )}
      </summary>
      <ul className="plain-list">
        <li>
          Data sources: objects {formatCount(withObjects)} (resolution one second), metrics {formatCount(withMetrics)}{' '}
          (resolution one scrape), spans {formatCount(withSpans)}.
        </li>
        <li>
          {formatCount(silent)} silent: the last reported state is shown.
          {oldestAt === null ? null : (
            <>
              {' '}
              The oldest report of the others arrived <Ago at={oldestAt} />.
            </>
          )}
        </li>
        <li>{formatCount(unknown)} without a reported operator version: excluded from version shares.</li>
        {gone === 0 ? null : (
          <li>
            Not counted: <Link href={clustersPath({ state: 'gone' })}>{formatCount(gone)} decommissioned</Link>.
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
