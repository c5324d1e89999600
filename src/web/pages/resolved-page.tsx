import { choiceField, textField, viewCodec } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import { useMemo, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { AlertRun } from '../../contract/alert-history.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { formatAge } from '../lib/format-time.ts'
import { ownLabelsByName } from '../lib/alert-labels.ts'
import { alertPath, resolvedPath, reviewPath, runbookPath } from '../lib/paths.ts'
import { PagesNav } from '../panels/pages-nav.tsx'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { ClusterLink } from '../panels/cluster-link.tsx'
import { historyCall, useHistory, type HistoryAsked } from '../query/use-alert-occurrences.ts'
import { useMoment } from '../query/use-moment.ts'
import { AlertName } from '../ui/alert-name.tsx'
import { Choice } from '../ui/choice.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { serverNowMs, useNowMs } from '../ui/server-clock.ts'
import { SEVERITY_COLUMN, SeverityBelow } from '../ui/severity-column.tsx'
import { Moment, Since } from '../ui/time.tsx'

const DAY_MS = 86_400_000

const WINDOWS = [
  { value: '1d', text: '24 h', windowMs: DAY_MS },
  { value: '7d', text: '7 d', windowMs: 7 * DAY_MS },
  { value: '30d', text: '30 d', windowMs: 30 * DAY_MS },
  { value: '1y', text: '1 y', windowMs: 365 * DAY_MS },
] as const

const RESOLVED_VIEW = viewCodec({
  alert: textField('alert'),
  cluster: textField('cluster'),
  fingerprint: textField('fingerprint'),
  window: choiceField(
    'window',
    WINDOWS.map(({ value }) => value),
    '7d',
  ),
  runs: choiceField('runs', ['', 'all']),
  text: textField('q'),
})

/** Rows that are rendered. */
const ROWS_MAX = 300

/** Occurrences of alerts: resolved alerts can still be found. */
export function ResolvedPage(): ReactNode {
  const { view, change, set } = useView(RESOLVED_VIEW, resolvedPath)
  const { alert, cluster, fingerprint, window, text } = view
  const { windowMs } = WINDOWS.find(({ value }) => value === window) ?? WINDOWS[1]
  const asked: HistoryAsked = { alertname: alert, cluster, fingerprint, windowMs }
  const query = useHistory(asked)
  const moment = useMoment()
  const [openedMs] = useState(serverNowMs)
  const toMs = moment === undefined ? openedMs : Date.parse(moment)
  return (
    <div className="page">
      <title>Resolved alerts · Daytwo</title>
      <h1 className="visually-hidden">Resolved alerts</h1>
      <PagesNav place="Alerts" />
      <FilterBar
        search={{
          label: 'Search alerts, clusters and labels',
          placeholder: 'Alert, cluster or label',
          value: text,
          onChange: set('text'),
        }}
        chips={(['alert', 'cluster', 'fingerprint'] as const)
          .filter((name) => view[name] !== '')
          .map((name) => ({
            name,
            value: view[name],
            onRemove: () => {
              change({ [name]: '' })
            },
          }))}
      >
        <Choice label="Time range" options={WINDOWS} value={window} onChange={set('window')} />
        <Choice
          label="Occurrences"
          options={[
            { value: '', text: 'Resolved' },
            { value: 'all', text: 'Resolved and firing' },
          ]}
          value={view.runs}
          onChange={set('runs')}
        />
      </FilterBar>
      <Answer query={query} what="the occurrences" skeletonLines={10}>
        {({ pages }) => {
          const all = pages.flatMap((page) => page.runs).map((run) => runAt(run, moment))
          const runs = view.runs === 'all' ? all : all.filter(({ resolvedAtMs }) => resolvedAtMs !== undefined)
          const found = runs.filter((run) => isFound(run, text))
          return (
            <>
              <p className="quiet nums space-below" role="status">
                {sentence(found.length, runs.length, text, query.hasNextPage)}
              </p>
              {found.length > 0 ? <RunTable runs={found.slice(0, ROWS_MAX)} among={all} /> : null}
              {found.length > ROWS_MAX ? (
                <p className="quiet">
                  Only the newest {ROWS_MAX} are shown: narrow the search to see older occurrences.
                </p>
              ) : null}
              <MoreButton query={query} text="Show older occurrences" />
            </>
          )
        }}
      </Answer>
      <ApiCallNote call={{ path: historyCall(asked, toMs) }} />
    </div>
  )
}

/** The occurrence at the selected moment: one that resolved later was still firing. */
function runAt({ resolvedAtMs, ...run }: AlertRun, moment: string | undefined): AlertRun {
  const isOver = resolvedAtMs !== undefined && (moment === undefined || resolvedAtMs <= Date.parse(moment))
  return isOver ? { ...run, resolvedAtMs } : run
}

function sentence(found: number, looked: number, text: string, hasMore: boolean): string {
  if (looked === 0 && !hasMore) return 'No resolved alerts in this range.'
  const what = text === '' ? countOf(found, 'occurrence') : `${formatCount(found)} of ${countOf(looked, 'occurrence')}`
  return hasMore ? `${what}; older ones exist.` : `${what}.`
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
  /** All loaded occurrences: the labels in which they differ do not depend on the search. */
  readonly among: readonly AlertRun[]
}

function RunTable({ runs, among }: RunTableProps): ReactNode {
  const nowMs = useNowMs()
  const labels = useMemo(() => ownLabelsByName(among), [among])
  const name: Column<AlertRun> = {
    head: 'Alert',
    kind: 'name',
    cell: (run) => <RunName run={run} ownLabels={labels.get(run.fingerprint)} />,
    below: ({ severity, cluster, firedAtMs }) => (
      <>
        <SeverityBelow severity={severity} />
        <ClusterLink cluster={cluster} />
        <Moment atMs={firedAtMs} />
      </>
    ),
  }
  const duration: Column<AlertRun> = {
    head: 'Duration',
    kind: 'number',
    cell: ({ firedAtMs, resolvedAtMs }) => formatAge((resolvedAtMs ?? nowMs) - firedAtMs),
  }
  return (
    <DataTable
      label="Occurrences"
      look="boxed"
      columns={[SEVERITY_COLUMN, name, CLUSTER, FIRED, duration, ENDED, REVIEW]}
      rows={runs}
      rowKey={({ fingerprint, activeAtMs }) => `${fingerprint} ${activeAtMs}`}
      rowClass={({ resolvedAtMs }) => resolvedAtMs !== undefined && 'row-resolved'}
    />
  )
}

const CLUSTER: Column<AlertRun> = {
  head: 'Cluster',
  isHiddenOnPhone: true,
  cell: ({ cluster }) => <ClusterLink cluster={cluster} />,
}

const FIRED: Column<AlertRun> = {
  head: 'Fired',
  isHiddenOnPhone: true,
  cell: ({ firedAtMs }) => <Moment atMs={firedAtMs} />,
}

const ENDED: Column<AlertRun> = {
  head: 'Ended',
  kind: 'number',
  cell: ({ resolvedAtMs }) =>
    resolvedAtMs === undefined ? <strong>firing</strong> : <Since atMs={resolvedAtMs} suffix=" ago" />,
}

const REVIEW: Column<AlertRun> = {
  head: 'Review',
  cell: ({ fingerprint, activeAtMs }) => <Link href={reviewPath(fingerprint, activeAtMs)}>Review</Link>,
}

interface RunNameProps {
  readonly run: AlertRun
  readonly ownLabels: string | undefined
}

function RunName({ run, ownLabels }: RunNameProps): ReactNode {
  const { fingerprint, alertname, resolvedAtMs, acknowledgedBy, acknowledgedNote } = run
  return (
    <>
      <Link href={resolvedAtMs === undefined ? alertPath(fingerprint) : runbookPath(alertname)}>
        <AlertName name={alertname} />
      </Link>
      {ownLabels === undefined ? null : <span className="own-labels">{ownLabels}</span>}
      {acknowledgedBy === undefined ? null : (
        <span className="own-labels">
          acknowledged by {acknowledgedBy}
          {acknowledgedNote === undefined ? '' : `: “${acknowledgedNote}”`}
        </span>
      )}
    </>
  )
}
