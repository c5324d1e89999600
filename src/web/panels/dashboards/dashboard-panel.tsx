import { useMemo, useRef, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { PanelAlert } from '../../../contract/dashboards.ts'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import type { DashboardPanel, PrometheusQuery } from '../../../model/dashboard.ts'
import { asSentence } from '../../lib/failure-text.ts'
import { interpolateText, variablesIn } from '../../lib/dashboards/interpolate.ts'
import { warningsOf } from '../../lib/dashboards/series.ts'
import {
  usePanelAnswers,
  type PanelContext,
  type PanelAnswers,
  type PanelShape,
  type VariableState,
} from '../../query/use-dashboards.ts'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { useInSight } from '../../ui/use-in-sight.ts'
import { Answer } from '../answer.tsx'
import { ChartBody } from './chart-body.tsx'
import { MarkdownPanel, UnknownPanel } from './text-panels.tsx'
import { PanelAlertButton } from './panel-alerts.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './dashboard-panel.module.css'

interface DashboardPanelProps {
  readonly panel: DashboardPanel
  readonly context: PanelContext
  readonly alerts: readonly PanelAlert[]
  readonly onZoom: (fromMs: number, toMs: number) => void
  /** Address of the panel alone; absent where it is alone. */
  readonly openPath?: string
  /** All of the dashboard: what uses one whose value is not known has to wait. */
  readonly variables: readonly VariableState[]
  /** Upgrades of the clusters that are chosen, and the variables that choose them: what uses none is not of these. */
  readonly marks: { readonly upgrades: readonly UpgradeItem[]; readonly variables: ReadonlySet<string> }
  /** Below the chart, when the panel is alone. */
  readonly children?: (answers: PanelAnswers) => ReactNode
}

/** A panel with its head and its states; its queries run when it becomes visible. */
export function DashboardPanelFrame(props: DashboardPanelProps): ReactNode {
  const { panel, context, alerts, openPath, variables } = props
  const place = useRef<HTMLElement>(null)
  const isSeen = useInSight(place)
  const [isTable, setIsTable] = useState(false)
  const { chart } = panel
  const title = interpolateText(panel.title, context.values)
  const name = title || panel.id
  const asks = chart.kind !== 'Markdown' && chart.kind !== 'unknown'
  // The same list as long as the file is the same: what is drawn is made from it.
  const { queries: all } = panel
  const queries = useMemo(() => all.filter(isPrometheus), [all])
  const unknown = panel.queries.flatMap((query) => (query.kind === 'unknown' ? [query.name] : []))
  const awaitedVariables = queries
    .flatMap((query) => variablesIn(query.expr))
    .flatMap((name) => variables.find(({ variable }) => variable.name === name) ?? [])
    .filter(({ variable }) => !context.values.has(variable.name))
  return (
    <section
      ref={place}
      className={classNames('stack box', styles.root, openPath === undefined && styles.isAlone)}
      aria-label={name}
      data-panel={panel.id}
      data-kind={chart.kind}
      tabIndex={-1}
    >
      <header className={`row rigid ${styles.head}`}>
        {openPath === undefined ? (
          <h2 className="one-line">{name}</h2>
        ) : (
          <h3 className="one-line">
            <Link href={openPath} title={`Open ${name}: its numbers, queries and alerts`}>
              {name}
            </Link>
          </h3>
        )}
        {panel.description === '' ? null : (
          <span className={`rigid ${styles.says}`} title={interpolateText(panel.description, context.values)}>
            <Shape name="disc" />
            <span className="visually-hidden">{panel.description}</span>
          </span>
        )}
        {panel.notDone.length === 0 ? null : (
          <span className={`rigid ${styles.says}`} title={panel.notDone.map(asSentence).join('\n')}>
            <Shape name="diamond" />
            <span className="visually-hidden">Differs from the file: {panel.notDone.map(asSentence).join(' ')}</span>
          </span>
        )}
        <span className={`row rigid screen-only ${styles.tools}`}>
          {asks && chart.kind !== 'Table' ? (
            <button
              type="button"
              className={`plain-button text-tiny no-wrap ${styles.tool}`}
              aria-pressed={isTable}
              aria-label={`${name} as a table`}
              onClick={() => {
                setIsTable(!isTable)
              }}
            >
              Table
            </button>
          ) : null}
          {alerts.length > 0 ? <PanelAlertButton alerts={alerts} title={name} /> : null}
        </span>
      </header>
      <div className={`stack fills ${styles.body}`}>
        <ErrorBoundary what={`the panel ${name}`}>
          {chart.kind === 'Markdown' ? <MarkdownPanel text={chart.text} values={context.values} /> : null}
          {chart.kind === 'unknown' ? <UnknownPanel part={chart} queries={panel.queries} /> : null}
          {asks && queries.length === 0 ? (
            <p className={EMPTY_CLASS}>
              <strong>No query.</strong>{' '}
              {unknown.length === 0
                ? 'The panel defines none.'
                : `Queries of the kind ${unknown.join(', ')} are not supported.`}
            </p>
          ) : null}
          {asks && queries.length > 0 ? (
            <QueriedPanel
              {...props}
              panel={{ ...panel, title: name, queries }}
              queries={queries}
              isTable={isTable}
              isSeen={isSeen}
              awaitedVariables={awaitedVariables}
            />
          ) : null}
        </ErrorBoundary>
      </div>
    </section>
  )
}

/** Of words in place of a chart. */
const EMPTY_CLASS = classNames('quiet text-small centered', styles.empty)

function isPrometheus(query: DashboardPanel['queries'][number]): query is PrometheusQuery {
  return query.kind === 'prometheus'
}

interface QueriedPanelProps extends DashboardPanelProps {
  readonly queries: readonly PrometheusQuery[]
  readonly isTable: boolean
  readonly isSeen: boolean
  readonly awaitedVariables: readonly VariableState[]
}

const NO_UPGRADES: readonly UpgradeItem[] = []

/** Those that are not here are drawn over time. */
const SHAPES: Readonly<Partial<Record<DashboardPanel['chart']['kind'], PanelShape>>> = {
  Table: 'instant',
  StatChart: 'latest',
  GaugeChart: 'latest',
  BarChart: 'latest',
  PieChart: 'latest',
}

function QueriedPanel({
  panel,
  queries,
  context,
  marks,
  isTable,
  isSeen,
  awaitedVariables,
  onZoom,
  children,
}: QueriedPanelProps): ReactNode {
  const shape = SHAPES[panel.chart.kind] ?? 'range'
  const query = usePanelAnswers(queries, context, shape, isSeen && awaitedVariables.length === 0)
  if (awaitedVariables.length > 0) return <WaitingForVariables awaitedVariables={awaitedVariables} />
  const isMarked = queries.some(({ expr }) => variablesIn(expr).some((name) => marks.variables.has(name)))
  return (
    <Answer query={query} what={panel.title} skeletonLines={3}>
      {(answers) => (
        <>
          <PartialAnswer answers={answers} />
          <div className={classNames(styles.place, query.isPlaceholderData && styles.isStale)}>
            <ChartBody
              panel={panel}
              answers={answers}
              shape={shape}
              values={context.values}
              upgrades={isMarked ? marks.upgrades : NO_UPGRADES}
              isTable={isTable}
              syncKey={context.dashboard.name}
              onZoom={onZoom}
            />
          </div>
          {children?.(answers)}
        </>
      )}
    </Answer>
  )
}

/** Variables whose values are loading or failed; the control of a failed one has the reason. */
function WaitingForVariables({ awaitedVariables }: Pick<QueriedPanelProps, 'awaitedVariables'>): ReactNode {
  const failed = awaitedVariables.filter(({ failure }) => failure !== undefined)
  const named = (states: readonly VariableState[]): string => states.map(({ variable }) => variable.title).join(', ')
  const [first] = failed
  if (first === undefined) return <p className={EMPTY_CLASS}>Loading the values of {named(awaitedVariables)}.</p>
  return (
    <p className={EMPTY_CLASS} role="status">
      <strong>Not queried.</strong> The values of {named(failed)} could not be loaded: {first.failure?.message}
    </p>
  )
}

/** Failures of single queries, and warnings. */
function PartialAnswer({ answers: { failures, answers } }: { readonly answers: PanelAnswers }): ReactNode {
  const failed = failures.flatMap((failure, i) => (failure === undefined ? [] : [`Query ${i + 1}: ${failure.message}`]))
  const said = [...failed, ...warningsOf(answers)]
  if (said.length === 0) return null
  return (
    <p className="tone-warning text-tiny one-line rigid" role="status" title={said.join('\n')}>
      <Shape name="diamond" /> {failed.length > 0 ? 'Partial result.' : 'Incomplete.'} {said[0]}
    </p>
  )
}
