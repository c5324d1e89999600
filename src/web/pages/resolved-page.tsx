import { useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { AlertRun } from '../../contract/alert-history.ts'
import { clusterPath } from '../lib/fleet-paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { ownLabelsByName } from '../lib/own-labels.ts'
import { alertPath, resolvedPath, runbookPath } from '../lib/paths.ts'
import { toSeverity } from '../lib/severity.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { historyCall, useHistory } from '../query/use-history.ts'
import type { HistoryAsked } from '../query/use-history.ts'
import { useMoment } from '../query/use-moment.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { Choice } from '../ui/choice.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { SeverityMark } from '../ui/marks.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { serverNowMs, useNowMs } from '../ui/server-clock.ts'
import { Moment, Since } from '../ui/time.tsx'
import { useKeys } from '../ui/use-keys.ts'

const DAY_MS = 86_400_000

const WINDOWS = [
  { value: '1d', text: '24 h', windowMs: DAY_MS },
  { value: '7d', text: '7 d', windowMs: 7 * DAY_MS },
  { value: '30d', text: '30 d', windowMs: 30 * DAY_MS },
  { value: '1y', text: '1 y', windowMs: 365 * DAY_MS },
] as const

/** Rows that are drawn at once. */
const ROWS_MAX = 300

/** Runs of alerts that fired: what is over stays findable. */
export function ResolvedPage(): ReactNode {
  const params = new URLSearchParams(useSearch())
  const [, navigate] = useLocation()
  const search = useRef<HTMLInputElement>(null)
  const of = (name: string): string => params.get(name) ?? ''
  const window = WINDOWS.find(({ value }) => value === of('window')) ?? WINDOWS[1]
  const change = (part: Readonly<Record<string, string>>): void => {
    navigate(resolvedPath({ ...Object.fromEntries(params), ...part }), { replace: true })
  }
  useKeys({
    '/': () => {
      search.current?.focus()
    },
  })
  const asked: HistoryAsked = {
    alertname: of('alert'),
    cluster: of('cluster'),
    fingerprint: of('fingerprint'),
    windowMs: window.windowMs,
  }
  const query = useHistory(asked)
  const moment = useMoment()
  const [openedMs] = useState(serverNowMs)
  const toMs = moment === undefined ? openedMs : Date.parse(moment)
  const text = of('q')
  return (
    <div className="page">
      <title>Resolved alerts · Daytwo</title>
      <h1 className="visually-hidden">Resolved alerts</h1>
      <PagesNav place="Alerts" />
      <div className="filters">
        <input
          ref={search}
          type="search"
          className="filters-search"
          aria-label="Search alerts, clusters and labels"
          placeholder="Alert, cluster or label"
          value={text}
          onChange={(event) => {
            change({ q: event.target.value })
          }}
        />
        <Choice
          label="How far back"
          options={WINDOWS}
          value={window.value}
          onChange={(value) => {
            change({ window: value === '7d' ? '' : value })
          }}
        />
        <Choice
          label="Runs"
          options={[
            { value: '', text: 'Over' },
            { value: 'all', text: 'Over or not' },
          ]}
          value={of('runs') === 'all' ? 'all' : ''}
          onChange={(runs) => {
            change({ runs })
          }}
        />
        {['alert', 'cluster', 'fingerprint'].map((name) =>
          of(name) === '' ? null : (
            <FilterChip
              key={name}
              name={name}
              value={of(name)}
              onRemove={() => {
                change({ [name]: '' })
              }}
            />
          ),
        )}
      </div>
      <Answer query={query} what="what has fired" skeletonLines={10}>
        {({ pages }) => {
          const all = pages.flatMap((page) => page.runs).map((run) => runAt(run, moment))
          const runs = of('runs') === 'all' ? all : all.filter(({ resolvedAtMs }) => resolvedAtMs !== undefined)
          const found = runs.filter((run) => isFound(run, text))
          return (
            <>
              <p className="quiet nums list-count" role="status">
                {sentence(found.length, runs.length, text, query.hasNextPage)}
              </p>
              {found.length > 0 ? <RunTable runs={found.slice(0, ROWS_MAX)} among={all} /> : null}
              {found.length > ROWS_MAX ? (
                <p className="quiet">The newest {ROWS_MAX} are drawn: narrow the search to see older ones.</p>
              ) : null}
              <MoreButton query={query} text="Look further back" />
            </>
          )
        }}
      </Answer>
      <ApiCallNote call={{ path: historyCall(asked, toMs) }} />
    </div>
  )
}

/** What ended after the moment that is shown was not over then. */
function runAt({ resolvedAtMs, ...run }: AlertRun, moment: string | undefined): AlertRun {
  const isOver = resolvedAtMs !== undefined && (moment === undefined || resolvedAtMs <= Date.parse(moment))
  return isOver ? { ...run, resolvedAtMs } : run
}

function sentence(found: number, looked: number, text: string, hasMore: boolean): string {
  if (looked === 0 && !hasMore) return 'Nothing fired in this time and is over.'
  const what = text === '' ? countOf(found, 'run') : `${formatCount(found)} of ${countOf(looked, 'run')}`
  return hasMore ? `${what}, and there are older ones.` : `${what}.`
}

function isFound(run: AlertRun, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return true
  return [run.alertname, run.cluster, ...Object.values(run.labels), run.annotations['summary'] ?? ''].some((value) =>
    value.toLowerCase().includes(wanted),
  )
}

interface RunTableProps {
  readonly runs: readonly AlertRun[]
  /** All that were looked at: what tells a run from the others does not depend on the search. */
  readonly among: readonly AlertRun[]
}

function RunTable({ runs, among }: RunTableProps): ReactNode {
  const nowMs = useNowMs()
  const labels = useMemo(() => ownLabelsByName(among), [among])
  return (
    <div className="table-box">
      <table className="data-table alert-table" aria-label="Runs">
        <thead>
          <tr>
            <th scope="col" className="cell-severity">
              Severity
            </th>
            <th scope="col">Alert</th>
            <th scope="col" className="cell-beside">
              Cluster
            </th>
            <th scope="col" className="cell-beside">
              Fired
            </th>
            <th scope="col" className="cell-number">
              For
            </th>
            <th scope="col" className="cell-number">
              Ended
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => {
            const {
              fingerprint,
              alertname,
              cluster,
              severity,
              firedAtMs,
              resolvedAtMs,
              acknowledgedBy,
              acknowledgedNote,
            } = run
            return (
              <tr key={`${fingerprint} ${run.activeAtMs}`} className={resolvedAtMs === undefined ? '' : 'row-resolved'}>
                <td className="cell-severity">
                  <SeverityMark severity={severity} />
                </td>
                <td className="cell-name">
                  <Link href={resolvedAtMs === undefined ? alertPath(fingerprint) : runbookPath(alertname)}>
                    <AlertName name={alertname} />
                  </Link>
                  {labels.get(fingerprint) === undefined ? null : (
                    <span className="own-labels">{labels.get(fingerprint)}</span>
                  )}
                  {acknowledgedBy === undefined ? null : (
                    <span className="own-labels">
                      acknowledged by {acknowledgedBy}
                      {acknowledgedNote === undefined ? '' : `: “${acknowledgedNote}”`}
                    </span>
                  )}
                  <span className="cell-below">
                    <span className={`below-severity tone-${toSeverity(severity)}`} aria-hidden="true">
                      {severity}
                    </span>
                    {cluster === '' ? 'no cluster' : <Link href={clusterPath(cluster)}>{cluster}</Link>}
                    <Moment atMs={firedAtMs} />
                  </span>
                </td>
                <td className="cell-beside">
                  {cluster === '' ? 'no cluster' : <Link href={clusterPath(cluster)}>{cluster}</Link>}
                </td>
                <td className="cell-beside">
                  <Moment atMs={firedAtMs} />
                </td>
                <td className="cell-number nums">{formatAge((resolvedAtMs ?? nowMs) - firedAtMs)}</td>
                <td className="cell-number">
                  {resolvedAtMs === undefined ? <strong>fires</strong> : <Since atMs={resolvedAtMs} suffix=" ago" />}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
