import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CLUSTER_VIEW } from '../../lib/cluster-view.ts'
import { dashboardPath, metricsPath, promqlPath, rulePath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { selectorOf, suggestionsFor, type MetricRow } from '../../lib/metric-list.ts'
import { useClusterCounts } from '../../query/use-clusters.ts'
import {
  labelsCall,
  useLabelValues,
  useMetricLabels,
  type LabelValues,
  type MissingPart,
} from '../../query/use-metrics.ts'
import { useInstantQuery } from '../../query/use-query-answers.ts'
import { useMoment } from '../../query/use-moment.ts'
import { FactList } from '../../ui/fact-list.tsx'
import { PromqlText } from '../../ui/promql-text.tsx'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import styles from './metric-detail.module.css'
import { DataTable } from '../../ui/data-table.tsx'

interface MetricDetailProps {
  readonly row: MetricRow
  /** The parts that failed to load for all metrics. */
  readonly missing: readonly MissingPart[]
  readonly closePath: string
}

/** One metric: description, senders, suggested queries, rules and panels that use it, and labels. */
export function MetricDetail({ row, missing, closePath }: MetricDetailProps): ReactNode {
  const moment = useMoment()
  const { name, help } = row
  const isUnread = (part: MissingPart['part']): boolean => missing.some((one) => one.part === part)
  const noHelp = isUnread('said') ? 'Could not load the description from senders.' : 'No description from senders.'
  return (
    <aside className={`panel ${styles.root}`} aria-label={name}>
      <div className={`row row-nowrap row-text row-apart ${styles.head}`}>
        <h2>{name}</h2>
        <span className="rigid text-small">
          <Link href={closePath} aria-label="Close the metric">
            Close
          </Link>{' '}
          <kbd>Esc</kbd>
        </span>
      </div>
      <p className={help === '' ? 'quiet' : ''}>{help === '' ? noHelp : help}</p>
      <Gone row={row} />
      <FactList
        facts={[
          { name: 'Type', value: row.type === '' ? 'not known' : row.type },
          { name: 'Unit', value: row.unit === '' ? 'not known' : row.unit },
          { name: 'Available since', value: row.since ?? 'not known' },
          { name: 'Series', value: row.series === undefined ? 'not counted' : formatCount(row.series) },
          { name: 'Clusters', value: row.isSent ? <SendingClusters metric={name} /> : 'none' },
        ]}
      />
      <h3>Queries</h3>
      <ul className={`plain-list ${styles.queries}`}>
        {suggestionsFor(row).map(({ says, expr }) => (
          <li key={expr}>
            <Link href={promqlPath(expr)}>{says}</Link>
            <code className="own-labels">
              <PromqlText expr={expr} />
            </code>
          </li>
        ))}
      </ul>
      <Readers row={row} isUnread={isUnread('known')} />
      {row.isSent ? <Labels metric={name} /> : null}
      <ApiCallNote call={{ path: labelsCall(name, moment) }} />
    </aside>
  )
}

function Gone({ row }: { readonly row: MetricRow }): ReactNode {
  if (!row.isGone) return null
  return (
    <p>
      Operators no longer export this metric{' '}
      {row.replacedBy === undefined ? (
        ', and no replacement exists.'
      ) : (
        <>
          : query <Link href={metricsPath({ show: 'all', metric: row.replacedBy })}>{row.replacedBy}</Link> instead.
        </>
      )}
    </p>
  )
}

function SendingClusters({ metric }: { readonly metric: string }): ReactNode {
  const expr = `count(count by (cluster) (${selectorOf(metric)}))`
  const { data, error } = useInstantQuery(expr)
  const fleet = useClusterCounts(CLUSTER_VIEW.initial).data?.coverage
  if (error !== null && data === undefined) return 'could not be loaded'
  if (data === undefined) return '…'
  const [sample] = data.data.resultType === 'vector' ? data.data.result : []
  const count = Number(sample?.value?.[1] ?? 0)
  return (
    <Link href={promqlPath(`count by (cluster) (${selectorOf(metric)})`)}>
      {fleet === undefined
        ? countOf(count, 'cluster')
        : `${formatCount(count)} of ${countOf(fleet.clusters, 'cluster')}`}
    </Link>
  )
}

interface ReadersProps {
  readonly row: MetricRow
  readonly isUnread: boolean
}

function Readers({ row: { rules, panels }, isUnread }: ReadersProps): ReactNode {
  const names = [...new Map(rules.map((rule) => [rule.name, rule])).values()]
  return (
    <>
      <h3>Used by</h3>
      {names.length + panels.length === 0 ? (
        <p className="quiet">
          {isUnread
            ? 'Could not load the rules and panels that use this metric.'
            : 'No rule or panel uses this metric.'}
        </p>
      ) : null}
      <ul className="plain-list">
        {names.map(({ name, kind }) => (
          <li key={`${kind} ${name}`}>
            <span className="quiet">{kind === 'alerting' ? 'alert' : 'recorded'}</span>{' '}
            {kind === 'alerting' ? (
              <Link href={rulePath(name)}>{name}</Link>
            ) : (
              <Link href={metricsPath({ show: 'all', metric: name })}>{name}</Link>
            )}
          </li>
        ))}
        {panels.map(({ dashboard, dashboardTitle, panel, panelTitle }) => (
          <li key={`${dashboard} ${panel}`}>
            <span className="quiet">panel</span>{' '}
            <Link href={dashboardPath(dashboard, { panel })}>
              {dashboardTitle}: {panelTitle}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function Labels({ metric }: { readonly metric: string }): ReactNode {
  const labels = useMetricLabels(metric)
  return (
    <>
      <h3>Labels</h3>
      <Answer query={labels} what="the labels" skeletonLines={6}>
        {(names) => <LabelTable metric={metric} labels={names} />}
      </Answer>
    </>
  )
}

const EXAMPLES_MAX = 3

function LabelTable({ metric, labels }: { readonly metric: string; readonly labels: readonly string[] }): ReactNode {
  const all = useLabelValues(metric, labels)
  if (labels.length === 0) return <p className="quiet">No labels.</p>
  return (
    <DataTable
      label="Labels"
      look="prose"
      rows={all}
      rowKey={({ label }) => label}
      columns={[
        { head: 'Label', isOneLine: true, cell: ({ label }) => label },
        { head: 'Values', kind: 'number', cell: countText },
        {
          head: 'Examples',
          className: styles.examples,
          cell: ({ label, values }) =>
            values?.slice(0, EXAMPLES_MAX).map((value) => (
              <Link key={value} href={promqlPath(selectorOf(metric, label, value))}>
                {value}
              </Link>
            )),
        },
      ]}
    />
  )
}

function countText({ values, isCut }: LabelValues): string {
  return values === undefined ? '…' : `${formatCount(values.length)}${isCut ? '+' : ''}`
}
