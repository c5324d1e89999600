import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { MatcherItem, SilencePreview } from '../../contract/silences.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { alertPath } from '../lib/paths.ts'
import { matchersFault } from '../lib/silence-matchers.ts'
import { toFailure } from '../query/fetch-json.ts'
import { useSilencePreview } from '../query/use-alert-actions.ts'
import { SeverityMark } from '../ui/marks.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Since } from '../ui/time.tsx'

interface SilencePreviewNoteProps {
  readonly matchers: readonly MatcherItem[]
  /** Fingerprints of the selected alerts. */
  readonly wanted: readonly string[] | undefined
}

/** The alerts that the matchers suppress now, and would have suppressed in the last 7 days. */
export function SilencePreviewNote({ matchers, wanted }: SilencePreviewNoteProps): ReactNode {
  const areReadable = matchersFault(matchers) === undefined
  const { data, error, isPending, isFetching } = useSilencePreview(matchers, areReadable)
  return (
    <section className="stack" aria-label="Suppressed alerts" aria-busy={isFetching}>
      {areReadable ? (
        <>
          {data === undefined ? null : <Preview preview={data} wanted={wanted} />}
          {isPending ? <Skeleton lines={2} label="Loading the suppressed alerts" /> : null}
          {error === null ? null : (
            <p className="tone-critical">Could not load the suppressed alerts: {toFailure(error).message}</p>
          )}
        </>
      ) : (
        <p className="quiet">The suppressed alerts appear when the matchers are valid.</p>
      )}
    </section>
  )
}

interface PreviewProps extends Pick<SilencePreviewNoteProps, 'wanted'> {
  readonly preview: SilencePreview
}

function Preview({ preview, wanted }: PreviewProps): ReactNode {
  const { now, nowCount, past, pastRuns } = preview
  const others = wanted === undefined ? 0 : now.filter(({ fingerprint }) => !wanted.includes(fingerprint)).length
  const criticals = now.filter(({ severity }) => severity === 'critical').length
  return (
    <>
      <p>
        <strong>{nowCount === 0 ? 'Suppresses no alert now.' : `Suppresses ${countOf(nowCount, 'alert')} now`}</strong>
        {nowCount === 0 ? null : criticals > 0 ? `, ${formatCount(criticals)} critical.` : '.'}{' '}
        {others > 0 ? (
          <strong className="tone-warning">
            {countOf(others, 'of them was', 'of them were')} not selected: narrow the matchers to exclude them.
          </strong>
        ) : null}
      </p>
      {now.length > 0 ? (
        <details>
          <summary>Suppressed alerts</summary>
          <ul className="plain-list">
            {now.map(({ fingerprint, alertname, cluster, severity, state }) => (
              <li key={fingerprint}>
                <SeverityMark severity={severity} /> <Link href={alertPath(fingerprint)}>{alertname}</Link>{' '}
                <span className="quiet">
                  {cluster}
                  {state === 'firing' ? '' : `, ${state}`}
                </span>
              </li>
            ))}
          </ul>
          {nowCount > now.length ? (
            <p className="quiet">
              The first {now.length} of {formatCount(nowCount)}.
            </p>
          ) : null}
        </details>
      ) : null}
      <p>
        {pastRuns === 0
          ? 'In the last 7 days the silence would have suppressed no alert.'
          : `In the last 7 days the silence would have suppressed ${countOf(pastRuns, 'firing alert')}.`}
      </p>
      {past.length > 0 ? (
        <details>
          <summary>Suppressed alerts by name</summary>
          <ul className="plain-list">
            {past.map(({ alertname, runs, clusters, lastFiredAtMs }) => (
              <li key={alertname}>
                {alertname}{' '}
                <span className="quiet">
                  {countOf(runs, 'time')} on {countOf(clusters, 'cluster')}, last{' '}
                  <Since atMs={lastFiredAtMs} suffix=" ago" />
                </span>
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  )
}
