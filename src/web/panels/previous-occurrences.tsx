import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import {
  previousOccurrences,
  type NotedOccurrence,
  type PreviousOccurrences as Past,
} from '../lib/previous-occurrences.ts'
import { resolvedPath } from '../lib/paths.ts'
import { toFailure } from '../query/fetch-json.ts'
import { PREVIOUS_OCCURRENCES_MAX, usePreviousOccurrences } from '../query/use-alert-occurrences.ts'
import { Since } from '../ui/time.tsx'

interface PreviousOccurrencesProps {
  readonly alertname: string
  /** The cluster of the alert; absent on an unbound runbook. */
  readonly cluster: string | undefined
}

const NOTES_FIRST = 2
const NOTES_MAX = 20

/** Previous occurrences: durations, and the notes of acknowledgements. */
export function PreviousOccurrences({ alertname, cluster }: PreviousOccurrencesProps): ReactNode {
  const { data, error } = usePreviousOccurrences(alertname)
  if (data === undefined) {
    const text = error === null ? 'Loading…' : `Could not load previous occurrences: ${toFailure(error).message}`
    return <p className="quiet">{text}</p>
  }
  const past = previousOccurrences(data.runs, cluster)
  return (
    <>
      <p>
        <Sentence past={past} hasMore={data.nextCursor !== undefined} cluster={cluster} />{' '}
        <Link href={resolvedPath({ alert: alertname, window: '1y' })}>All occurrences</Link>
      </p>
      {past.noted.length === 0 ? null : <Notes noted={past.noted} />}
    </>
  )
}

interface SentenceProps extends Pick<PreviousOccurrencesProps, 'cluster'> {
  readonly past: Past
  readonly hasMore: boolean
}

function Sentence({ past, hasMore, cluster }: SentenceProps): ReactNode {
  const { count, clusters, here, medianMs, longestMs, oldestFiredAtMs, acknowledged, noted } = past
  if (medianMs === undefined || longestMs === undefined || oldestFiredAtMs === undefined) {
    return hasMore
      ? `None of the newest ${formatCount(PREVIOUS_OCCURRENCES_MAX)} occurrences has resolved yet.`
      : 'No previous occurrence is stored.'
  }
  const where = cluster === undefined ? '' : `, ${formatCount(here)} on this cluster`
  return (
    <>
      {hasMore ? 'The newest ' : ''}
      {countOf(count, 'previous occurrence')} on {countOf(clusters, 'cluster')}
      {where}, the oldest <Since atMs={oldestFiredAtMs} suffix=" ago" />. Duration:{' '}
      {count === 1 ? formatAge(longestMs) : `p50 ${formatAge(medianMs)}, longest ${formatAge(longestMs)}`}.{' '}
      {acknowledged === 0
        ? 'None was acknowledged.'
        : `${formatCount(acknowledged)} acknowledged${noted.length === 0 ? ', without a note.' : ':'}`}
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
            {run.acknowledgedBy ?? 'unnamed user'}, {run.cluster === '' ? 'no cluster' : run.cluster},{' '}
            <Since atMs={run.firedAtMs} suffix=" ago" />, resolved after {formatAge(run.resolvedAtMs - run.firedAtMs)}
          </span>
        </li>
      ))}
    </ul>
  )
}
