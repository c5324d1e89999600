import { useMemo, useRef, useState, type ReactNode, type Ref } from 'react'
import { useLocation, useSearch } from 'wouter'
import { SEVERITIES } from '../../contract/fleet-logs.ts'
import { formatDuration } from '../../model/duration.ts'
import { readRefresh, readTimeRange, timeRangeSearch } from '../lib/dashboards/time-range.ts'
import { logsPath } from '../lib/paths.ts'
import { choicesOf, LOG_VIEW, type LogView } from '../lib/log-view.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { TimeControls } from '../panels/dashboards/time-controls.tsx'
import { ChooseCluster, UnknownCluster } from '../panels/explore/choose-cluster.tsx'
import { ClusterField } from '../panels/explore/cluster-field.tsx'
import { changesOf, ObjectLog } from '../panels/explore/object-log.tsx'
import { RecordLog, recordsOf } from '../panels/explore/record-log.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { logPath, useObjectLog, useRecordLog, type LogQuestion } from '../query/use-logs.ts'
import { useMoment } from '../query/use-moment.ts'
import { Choice } from '../ui/choice.tsx'
import { FacetSelect } from '../ui/facet-select.tsx'
import { Select } from '../ui/select.tsx'
import { useKeys } from '../ui/use-keys.ts'
import styles from './logs-page.module.css'

const SOURCES = [
  { value: 'objects', text: 'Object changes' },
  { value: 'records', text: 'Log records' },
] as const
const RANGE_SECONDS = 86_400
/** Nothing moves under the reader unless it is asked for. */
const REFRESH_SECONDS = 0

/** What changed in the objects of a cluster, and what senders logged. */
export function LogsPage(): ReactNode {
  const search = useSearch()
  const params = new URLSearchParams(search)
  const view = LOG_VIEW.parse(search)
  const range = readTimeRange(params, RANGE_SECONDS)
  const refreshSeconds = readRefresh(params, REFRESH_SECONDS)
  const moment = useMoment()
  const [, navigate] = useLocation()
  const [round, setRound] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  const time = {
    ...timeRangeSearch(range, RANGE_SECONDS),
    refresh: refreshSeconds === REFRESH_SECONDS ? '' : formatDuration(refreshSeconds * 1000),
  }
  const go = (next: LogView, more: Readonly<Record<string, string>> = time): void => {
    navigate(logsPath({ ...LOG_VIEW.searchOf(next), ...more }), { replace: true })
  }
  useKeys({
    '/': () => {
      field.current?.focus()
    },
    u: () => {
      setRound(round + 1)
    },
  })
  const question = { view, range, refreshSeconds }
  return (
    <div className="page">
      <title>{view.cluster === '' ? 'Logs · Daytwo' : `Logs of ${view.cluster} · Daytwo`}</title>
      <h1 className="visually-hidden">Explore: logs</h1>
      <PagesNav place="Explore" />
      <div className={`row row-apart ${styles.controls}`}>
        <Choice
          label="Source"
          options={SOURCES}
          value={view.source}
          onChange={(source) => {
            go({ ...view, source, kind: '', manager: '', text: '' })
          }}
        />
        <TimeControls
          range={range}
          onRange={(next) => {
            go(view, { ...time, ...timeRangeSearch(next, RANGE_SECONDS) })
          }}
          refreshSeconds={refreshSeconds}
          onRefresh={(word) => {
            go(view, { ...time, refresh: word === 'off' ? '' : word })
          }}
          onRefreshNow={() => {
            setRound(round + 1)
          }}
          isHeld={moment !== undefined || range.kind === 'between'}
        />
      </div>
      {view.source === 'objects' ? (
        <Objects question={question} time={time} onView={go} fieldRef={field} round={round} />
      ) : (
        <Records question={question} onView={go} fieldRef={field} round={round} />
      )}
    </div>
  )
}

interface SourceProps {
  readonly question: LogQuestion
  readonly onView: (view: LogView) => void
  readonly fieldRef: Ref<HTMLInputElement>
  /** Another number: ask again. */
  readonly round: number
}

function Objects(props: SourceProps & { readonly time: Readonly<Record<string, string>> }): ReactNode {
  const { question, onView, fieldRef, round, time } = props
  const { view } = question
  const [typed, setTyped] = useState('')
  const query = useObjectLog(question)
  useAgain(round, query)
  const pages = query.data?.pages
  const changes = useMemo(() => changesOf(pages ?? []), [pages])
  const hrefOf = (cluster: string): string => logsPath({ ...LOG_VIEW.searchOf({ ...view, cluster }), ...time })
  return (
    <>
      <LogFilters
        label="Name or namespace of the object"
        view={view}
        onView={onView}
        onTyped={setTyped}
        fieldRef={fieldRef}
      >
        <FacetSelect
          label="Kind"
          values={choicesOf(changes, ({ kind }) => kind)}
          value={view.kind}
          onChange={(kind) => {
            onView({ ...view, kind })
          }}
        />
        <FacetSelect
          label="Last written by"
          values={choicesOf(changes, ({ manager }) => manager?.name ?? null)}
          value={view.manager}
          onChange={(manager) => {
            onView({ ...view, manager })
          }}
        />
      </LogFilters>
      {view.cluster === '' ? (
        <ChooseCluster text={typed} hrefOf={hrefOf} />
      ) : (
        <Answer query={query} what={`what changed on ${view.cluster}`} skeletonLines={12}>
          {() => (
            <>
              {changes.length === 0 ? <UnknownCluster cluster={view.cluster} hrefOf={hrefOf} /> : null}
              <ObjectLog
                changes={changes}
                view={view}
                more={time}
                hasOlder={query.hasNextPage}
                onNeedMore={() => {
                  if (query.hasNextPage && !query.isFetching) void query.fetchNextPage()
                }}
              />
            </>
          )}
        </Answer>
      )}
      {view.cluster === '' ? null : <ApiCallNote call={{ path: logPath(view) }} />}
    </>
  )
}

function Records({ question, onView, fieldRef, round }: SourceProps): ReactNode {
  const { view } = question
  const query = useRecordLog(question)
  useAgain(round, query)
  const pages = query.data?.pages
  const records = useMemo(() => recordsOf(pages ?? []), [pages])
  return (
    <>
      <LogFilters label="Text in the record" view={view} onView={onView} fieldRef={fieldRef}>
        <FacetSelect
          label="Sent by"
          values={choicesOf(records, ({ service }) => service).filter(({ value }) => value !== '')}
          value={view.service}
          onChange={(service) => {
            onView({ ...view, service })
          }}
        />
        <Select
          label="Severity"
          none="Severity: any"
          options={SEVERITIES.map((severity) => ({ value: severity, text: `${severity} or worse` }))}
          value={view.severity}
          onChange={(value) => {
            onView({ ...view, severity: SEVERITIES.find((one) => one === value) ?? '' })
          }}
        />
      </LogFilters>
      <Answer query={query} what="the records" skeletonLines={12}>
        {() => (
          <RecordLog
            records={records}
            hasOlder={query.hasNextPage}
            onNeedMore={() => {
              if (query.hasNextPage && !query.isFetching) void query.fetchNextPage()
            }}
          />
        )}
      </Answer>
      <ApiCallNote call={{ path: logPath(view) }} />
    </>
  )
}

interface LogFiltersProps extends Pick<SourceProps, 'onView' | 'fieldRef'> {
  readonly view: LogView
  /** What is written where the cluster is chosen. */
  readonly onTyped?: (text: string) => void
  /** What the text is looked for in. */
  readonly label: string
  /** What else this source is filtered by. */
  readonly children: ReactNode
}

/** The cluster, a text, and what only one source has. */
function LogFilters({ view, label, onView, onTyped, fieldRef, children }: LogFiltersProps): ReactNode {
  return (
    <div className="filters">
      <ClusterField
        key={view.cluster}
        value={view.cluster}
        onChange={(cluster) => {
          onView({ ...view, cluster })
        }}
        {...(onTyped === undefined ? {} : { onTyped })}
      />
      <div className="filters-row">
        <TextField
          key={view.text}
          label={label}
          value={view.text}
          fieldRef={fieldRef}
          onChange={(text) => {
            onView({ ...view, text })
          }}
        />
        {children}
      </div>
    </div>
  )
}

/** Asks again when the reader wants it; the first round is asked anyway. */
function useAgain(round: number, query: { refetch(): Promise<unknown> }): void {
  const [asked, setAsked] = useState(round)
  if (asked !== round) {
    setAsked(round)
    void query.refetch()
  }
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly fieldRef: Ref<HTMLInputElement>
  readonly onChange: (text: string) => void
}

/** A text that counts by Enter, or when the field is left or emptied: each is a question to the server. */
function TextField({ label, value, fieldRef, onChange }: TextFieldProps): ReactNode {
  const [typed, setTyped] = useState(value)
  const commit = (text: string): void => {
    if (text.trim() !== value) onChange(text.trim())
  }
  return (
    <input
      ref={fieldRef}
      type="search"
      className={styles.text}
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value)
        if (event.target.value === '') commit('')
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit(typed)
      }}
      onBlur={() => {
        commit(typed)
      }}
    />
  )
}
