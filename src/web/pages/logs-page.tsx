import { useView } from '../panels/use-view.ts'
import { useMemo, useRef, useState, type ReactNode, type Ref } from 'react'
import { LOG_SEVERITIES } from '../../model/log-record.ts'
import { readRefresh } from '../lib/dashboards/time-range.ts'
import { logsPath } from '../lib/paths.ts'
import { choicesOf, LOG_VIEW, type LogView } from '../lib/log-view.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { TimeControls } from '../panels/dashboards/time-controls.tsx'
import { ChooseCluster, UnknownCluster, ClusterField } from '../panels/explore/choose-cluster.tsx'
import { changesOf, ObjectLog } from '../panels/explore/object-log.tsx'
import { RecordLog, recordsOf } from '../panels/explore/record-log.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { logPath, useObjectLog, useRecordLog } from '../query/use-logs.ts'
import { useMoment } from '../query/use-moment.ts'
import { FilterBar } from '../ui/filter-bar.tsx'
import { Choice } from '../ui/choice.tsx'
import { FacetSelect } from '../ui/facet-select.tsx'
import { Select } from '../ui/select.tsx'
import { useKeys } from '../ui/use-keys.ts'
import styles from './logs-page.module.css'

const SOURCES = [
  { value: 'objects', text: 'Object changes' },
  { value: 'records', text: 'Log records' },
] as const

/** Changes of a cluster's objects, and log records. */
export function LogsPage(): ReactNode {
  const { view, change, set } = useView(LOG_VIEW, logsPath)
  const { range, refreshSeconds } = view
  const moment = useMoment()
  const [round, setRound] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  useKeys({
    '/': () => {
      field.current?.focus()
    },
    u: () => {
      setRound(round + 1)
    },
  })
  return (
    <div className="page">
      <title>{view.cluster === '' ? 'Logs · Daytwo' : `Logs of ${view.cluster} · Daytwo`}</title>
      <h1 className="visually-hidden">Explore: logs</h1>
      <PagesNav place="Explore" />
      <div className="row row-apart page-bar">
        <Choice
          label="Source"
          options={SOURCES}
          value={view.source}
          onChange={(source) => {
            change({ source, kind: '', manager: '', text: '' })
          }}
        />
        <TimeControls
          range={range}
          onRange={set('range')}
          refreshSeconds={refreshSeconds}
          onRefresh={(word) => {
            change({ refreshSeconds: readRefresh(new URLSearchParams({ refresh: word }), 0) })
          }}
          onRefreshNow={() => {
            setRound(round + 1)
          }}
          isHeld={moment !== undefined || range.kind === 'between'}
        />
      </div>
      {view.source === 'objects' ? (
        <Objects view={view} set={set} fieldRef={field} round={round} />
      ) : (
        <Records view={view} set={set} fieldRef={field} round={round} />
      )}
    </div>
  )
}

interface SourceProps {
  readonly view: LogView
  readonly set: ReturnType<typeof useView<LogView>>['set']
  readonly fieldRef: Ref<HTMLInputElement>
  /** Another number refetches. */
  readonly round: number
}

function Objects({ view, set, fieldRef, round }: SourceProps): ReactNode {
  const [typed, setTyped] = useState('')
  const query = useObjectLog(view)
  useRefetchIn(round, query)
  const pages = query.data?.pages
  const changes = useMemo(() => changesOf(pages ?? []), [pages])
  const hrefOf = (cluster: string): string => logsPath(LOG_VIEW.searchOf({ ...view, cluster }))
  return (
    <>
      <LogFilters label="Name or namespace of the object" view={view} set={set} onTyped={setTyped} fieldRef={fieldRef}>
        <FacetSelect
          label="Kind"
          values={choicesOf(changes, ({ kind }) => kind)}
          value={view.kind}
          onChange={set('kind')}
        />
        <FacetSelect
          label="Last written by"
          values={choicesOf(changes, ({ manager }) => manager?.name ?? null)}
          value={view.manager}
          onChange={set('manager')}
        />
      </LogFilters>
      {view.cluster === '' ? (
        <ChooseCluster text={typed} hrefOf={hrefOf} />
      ) : (
        <Answer query={query} what={`the changes on ${view.cluster}`} skeletonLines={12}>
          {() => (
            <>
              {changes.length === 0 ? <UnknownCluster cluster={view.cluster} hrefOf={hrefOf} /> : null}
              <ObjectLog
                changes={changes}
                view={view}
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

function Records({ view, set, fieldRef, round }: SourceProps): ReactNode {
  const query = useRecordLog(view)
  useRefetchIn(round, query)
  const pages = query.data?.pages
  const records = useMemo(() => recordsOf(pages ?? []), [pages])
  return (
    <>
      <LogFilters label="Text in the record" view={view} set={set} fieldRef={fieldRef}>
        <FacetSelect
          label="Sent by"
          values={choicesOf(records, ({ service }) => service).filter(({ value }) => value !== '')}
          value={view.service}
          onChange={set('service')}
        />
        <Select
          label="Severity"
          none="Severity: any"
          options={LOG_SEVERITIES.map((severity) => ({ value: severity, text: `${severity} or worse` }))}
          value={view.severity}
          onChange={(value) => {
            set('severity')(LOG_SEVERITIES.find((one) => one === value) ?? '')
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

interface LogFiltersProps extends Omit<SourceProps, 'round'> {
  /** The unfinished text of the cluster field. */
  readonly onTyped?: (text: string) => void
  readonly label: string
  /** Other filters of the source. */
  readonly children: ReactNode
}

function LogFilters({ view, label, set, onTyped, fieldRef, children }: LogFiltersProps): ReactNode {
  return (
    <FilterBar
      field={
        <ClusterField
          key={view.cluster}
          value={view.cluster}
          onChange={set('cluster')}
          {...(onTyped === undefined ? {} : { onTyped })}
        />
      }
    >
      <TextField key={view.text} label={label} value={view.text} fieldRef={fieldRef} onChange={set('text')} />
      {children}
    </FilterBar>
  )
}

/** Refetches in each round after the first. */
function useRefetchIn(round: number, query: { refetch(): Promise<unknown> }): void {
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

/** A text that is applied by Enter, or when the field is left or emptied, because each text is a request. */
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
