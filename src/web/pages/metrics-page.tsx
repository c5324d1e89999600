import { useView } from '../panels/use-view.ts'
import { useMemo, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { metricsPath } from '../lib/paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { applyMetricView, METRIC_VIEW, typeChoices } from '../lib/metric-list.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { ConnectCluster } from '../panels/connect-cluster.tsx'
import { MetricDetail } from '../panels/explore/metric-detail.tsx'
import { MetricsStore } from '../panels/explore/metrics-store.tsx'
import { Processes } from '../panels/explore/processes.tsx'
import { MetricTable } from '../panels/explore/metric-table.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { KNOWN_METRICS_PATH, NAMES_PATH, useMetrics, type MetricList, type MissingPart } from '../query/use-metrics.ts'
import { Button } from '../ui/button.tsx'
import { FacetSelect } from '../ui/facet-select.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Notice } from '../ui/notice.tsx'
import { useKeys } from '../ui/use-keys.ts'
import styles from './metrics-page.module.css'

/** All metrics with their metadata and their users. */
export function MetricsPage(): ReactNode {
  const query = useMetrics()
  const { view } = useView(METRIC_VIEW, metricsPath)
  const retry = (): void => {
    void query.refetch()
  }
  useKeys({ u: retry })
  return (
    <div className="page">
      <title>{view.metric === '' ? 'Metrics · Daytwo' : `${view.metric} · Daytwo`}</title>
      <h1 className="visually-hidden">Explore: metrics</h1>
      <PagesNav place="Explore" />
      <MetricsStore />
      <Processes />
      {query.data === undefined && query.error !== null ? <MetricFilters types={NO_TYPES} /> : null}
      <Answer query={query} what="the metrics" skeletonLines={14} call={NAMES_PATH}>
        {(list) =>
          list.rows.some(({ isSent }) => isSent) ? <Metrics list={list} onRetry={retry} /> : <ConnectCluster />
        }
      </Answer>
    </div>
  )
}

const NO_TYPES: ReturnType<typeof typeChoices> = []
const NO_KEYS = {}

interface MetricFiltersProps {
  readonly types: ReturnType<typeof typeChoices>
}

/** The filters also stay above a list that could not be loaded. */
function MetricFilters({ types }: MetricFiltersProps): ReactNode {
  const { view, change, set } = useView(METRIC_VIEW, metricsPath)
  const { text, type, isWhole } = view
  return (
    <FilterBar
      search={{
        label: 'Search metrics',
        placeholder: 'Name or meaning',
        value: text,
        onChange: set('text'),
      }}
    >
      <FacetSelect label="Type" values={types} value={type} onChange={set('type')} />
      <label className="row">
        <input
          type="checkbox"
          checked={isWhole}
          onChange={(event) => {
            change({ isWhole: event.target.checked })
          }}
        />{' '}
        include metrics without data
      </label>
    </FilterBar>
  )
}

interface MetricsProps {
  readonly list: MetricList
  readonly onRetry: () => void
}

function Metrics({ list, onRetry }: MetricsProps): ReactNode {
  const { view, change } = useView(METRIC_VIEW, metricsPath)
  const [, navigate] = useLocation()
  const { rows, missing, isCountCut } = list
  const { isWhole } = view
  const shown = useMemo(() => applyMetricView(rows, view), [rows, view])
  const listed = useMemo(() => rows.filter(({ isSent }) => isSent || isWhole), [rows, isWhole])
  const types = useMemo(() => typeChoices(listed), [listed])
  const opened = rows.find(({ name }) => name === view.metric)
  const closePath = metricsPath(METRIC_VIEW.searchOf({ ...view, metric: '' }))
  useKeys(
    view.metric === ''
      ? NO_KEYS
      : {
          Esc: () => {
            navigate(closePath)
          },
        },
  )
  return (
    <div className={opened === undefined ? undefined : styles.isOpen}>
      <div className={styles.list}>
        <MetricFilters types={types} />
        <ListLine
          count={
            shown.length === listed.length
              ? countOf(listed.length, 'metric')
              : `${formatCount(shown.length)} of ${countOf(listed.length, 'metric')}`
          }
        >
          {isCountCut ? <span className="quiet">series counted of the 1,000 largest only</span> : null}
          <ApiCallNote call={{ path: NAMES_PATH }} title="API call: names" />
          <ApiCallNote call={{ path: KNOWN_METRICS_PATH }} title="API call: metric descriptions" />
        </ListLine>
        <Missing missing={missing} onRetry={onRetry} />
        {view.metric !== '' && opened === undefined ? (
          <Notice
            kind="note"
            title={`Unknown metric: no sender has ${view.metric}, and no description of it exists.`}
          />
        ) : null}
        {shown.length === 0 ? (
          <p className="empty quiet">
            No metric matches these filters{isWhole ? '.' : '; metrics without data are not included.'}
          </p>
        ) : (
          <MetricTable rows={shown} view={view} onChange={change} />
        )}
      </div>
      {opened === undefined ? null : (
        <MetricDetail key={opened.name} row={opened} missing={missing} closePath={closePath} />
      )}
    </div>
  )
}

const MISSING_WORDS: Readonly<Record<MissingPart['part'], string>> = {
  said: 'metric metadata from senders',
  known: 'metrics used by rules and panels',
  counted: 'series counts',
}

function Missing({ missing, onRetry }: Pick<MetricList, 'missing'> & Pick<MetricsProps, 'onRetry'>): ReactNode {
  if (missing.length === 0) return null
  return (
    <Notice
      kind="partial"
      title="The list is incomplete."
      actions={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      <ul className="plain-list">
        {missing.map(({ part, reason }) => (
          <li key={part}>
            Missing: {MISSING_WORDS[part]}. {reason}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
