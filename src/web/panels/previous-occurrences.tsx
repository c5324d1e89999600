import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { previousOccurrences, type NotedOccurrence, type PreviousOccurrences } from '../lib/previous-occurrences.ts'
import { resolvedPath } from '../lib/paths.ts'
import { toFailure } from '../query/fetch-json.ts'
import { PREVIOUS_OCCURRENCES_MAX, usePreviousOccurrences } from '../query/use-alert-occurrences.ts'
import { Since } from '../ui/time.tsx'

interface PreviousOccurrencesLineProps {
  readonly alertname: string
  /** The cluster of the alert; absent on an unbound runbook. */
  readonly cluster: string | undefined
}

const NOTES_FIRST = 2
const NOTES_MAX = 20

/** Previous occurrences: durations, and the notes of acknowledgements. Which step resolved them is not recorded. */
export function PreviousOccurrencesLine({ alertname, cluster }: PreviousOccurrencesLineProps): ReactNode {
  const { data, error } = usePreviousOccurrences(alertname)
  const past = data === undefined ? undefined : previousOccurrences(data.runs, cluster)
  return (
    <div className="narrow stack spaced" role="group" aria-label="Earlier">
      <p>
        <strong>What about earlier?</strong>{' '}
        {past === undefined ? (
          <span className="quiet">
            {error === null ? 'Looking…' : `It cannot be shown: ${toFailure(error).message}`}
          </span>
        ) : (
          <Sentence past={past} hasMore={data?.nextCursor !== undefined} alertname={alertname} cluster={cluster} />
        )}
      </p>
      {past === undefined || past.noted.length === 0 ? null : <Notes noted={past.noted} />}
    </div>
  )
}

interface SentenceProps extends PreviousOccurrencesLineProps {
  readonly past: PreviousOccurrences
  readonly hasMore: boolean
}

function Sentence({ past, hasMore, alertname, cluster }: SentenceProps): ReactNode {
  const { count, clusters, here, medianMs, longestMs, oldestFiredAtMs, acknowledged, noted } = past
  if (medianMs === undefined || longestMs === undefined || oldestFiredAtMs === undefined) {
    return hasMore ? 'None of its newest runs is over yet.' : 'No earlier run of it is kept.'
  }
  const isOne = count === 1 && !hasMore
  const runs = hasMore
    ? `The newest ${formatCount(count)} runs that are over, of ${formatCount(PREVIOUS_OCCURRENCES_MAX)} looked at`
    : `${formatCount(count)} earlier runs`
  return (
    <>
      {isOne ? 'One earlier run' : `${runs} on ${countOf(clusters, 'cluster')}`}
      {cluster === undefined
        ? ', '
        : `, ${isOne ? (here === 1 ? 'here' : 'elsewhere') : `${formatCount(here)} here`}, `}
      {isOne ? '' : 'the oldest '}
      <Since atMs={oldestFiredAtMs} suffix=" ago" />:{' '}
      {isOne
        ? `over in ${formatAge(longestMs)}. `
        : `half were over in ${formatAge(medianMs)}, all in ${formatAge(longestMs)}. `}
      {acknowledged === 0
        ? 'Nobody acknowledged one. '
        : noted.length === 0
          ? `${formatCount(acknowledged)} acknowledged, without a note. `
          : 'Those who looked after it wrote: '}
      <Link href={resolvedPath({ alert: alertname, window: '1y' })}>All of them</Link>
    </>
  )
}

function Notes({ noted }: { readonly noted: readonly NotedOccurrence[] }): ReactNode {
  const rest = noted.slice(NOTES_FIRST, NOTES_MAX)
  return (
    <>
      <NoteList runs={noted.slice(0, NOTES_FIRST)} />
      {rest.length === 0 ? null : (
        <details>
          <summary>{countOf(rest.length, 'older note')}</summary>
          <NoteList runs={rest} />
        </details>
      )}
    </>
  )
}

function NoteList({ runs }: { readonly runs: readonly NotedOccurrence[] }): ReactNode {
  return (
    <ul className="plain-list">
      {runs.map((run) => (
        <li key={`${run.fingerprint} ${run.activeAtMs}`}>
          “{run.acknowledgedNote}”{' '}
          <span className="quiet">
            {run.acknowledgedBy ?? 'somebody'}, {run.cluster === '' ? 'no cluster' : run.cluster},{' '}
            <Since atMs={run.firedAtMs} suffix=" ago" />, over in {formatAge(run.resolvedAtMs - run.firedAtMs)}
          </span>
        </li>
      ))}
    </ul>
  )
}
