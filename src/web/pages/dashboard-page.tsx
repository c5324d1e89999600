import { useMemo, type ComponentProps, type ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { DashboardAnswer } from '../../contract/dashboards.ts'
import type { DashboardPanel } from '../../model/dashboard.ts'
import { asSentence } from '../lib/failure-text.ts'
import { interpolateText } from '../lib/dashboards/interpolate.ts'
import { repeatedTitle, repeatsOf, withRepeat, type Repeat } from '../lib/dashboards/repeats.ts'
import { readRefresh, readTimeRange, spanOf, timeRangeSearch, type TimeRange } from '../lib/dashboards/time-range.ts'
import { VARIABLE_PREFIX } from '../lib/dashboards/variables.ts'
import { dashboardPath, dashboardsPath } from '../lib/paths.ts'
import { countOf } from '../lib/format-number.ts'
import { areUpgradesShown, bandsOf, clustersChosen, upgradesSearch } from '../lib/upgrade-bands.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { DashboardGrids } from '../panels/dashboards/dashboard-grid.tsx'
import { DashboardPanelFrame } from '../panels/dashboards/dashboard-panel.tsx'
import { PanelAlertList } from '../panels/dashboards/panel-alerts.tsx'
import { PanelQueries } from '../panels/dashboards/panel-queries.tsx'
import { FileLink } from '../panels/dashboards/text-link.tsx'
import { TimeControls } from '../panels/dashboards/time-controls.tsx'
import { VariableBar } from '../panels/dashboards/variable-bar.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { UpgradeBandList, UpgradeToggle } from '../panels/upgrade-band-list.tsx'
import { toFailure } from '../query/fetch-json.ts'
import {
  dashboardApiPath,
  useDashboard,
  useRefresh,
  useVariables,
  type PanelContext,
  type VariableState,
} from '../query/use-dashboards.ts'
import { useMoment } from '../query/use-moment.ts'
import { useUpgradesOf } from '../query/use-upgrades.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Notice } from '../ui/notice.tsx'
import { serverNowMs } from '../ui/server-clock.ts'
import { useFocusKeys } from '../ui/use-focus-keys.ts'
import { useKeys } from '../ui/use-keys.ts'
import styles from './dashboard-page.module.css'

/** One dashboard, with its variables and its time range in the address. */
export function DashboardPage({ name }: { readonly name: string }): ReactNode {
  const query = useDashboard(name)
  const unknown = query.error === null || query.data !== undefined ? undefined : toFailure(query.error)
  return (
    <div className="page page-wide">
      <title>{`${query.data?.dashboard.title ?? name} · Dashboards · Daytwo`}</title>
      <PagesNav place="Explore" />
      {query.data === undefined ? <h1>{name}</h1> : null}
      {unknown?.status === 404 ? (
        <NoSuchDashboard name={name} body={unknown.body} />
      ) : (
        <Answer query={query} what="the dashboard" skeletonLines={10}>
          {(answer) => <Board answer={answer} />}
        </Answer>
      )}
      <ApiCallNote call={{ path: dashboardApiPath(name) }} />
    </div>
  )
}

function NoSuchDashboard({ name, body }: { readonly name: string; readonly body: unknown }): ReactNode {
  const { nearest } = (body ?? {}) as { readonly nearest?: unknown }
  const names = Array.isArray(nearest) ? nearest.filter((one) => typeof one === 'string') : []
  return (
    <Notice kind="note" title={`No dashboard has the name ${name}`}>
      {names.length > 0 ? 'Similar names: ' : null}
      {names.map((one) => (
        <Link key={one} href={dashboardPath(one)}>
          {one}
        </Link>
      ))}
      {names.length > 0 ? '? ' : null}
      <Link href={dashboardsPath()}>All dashboards</Link>
    </Notice>
  )
}

function Board({ answer }: { readonly answer: DashboardAnswer }): ReactNode {
  const { dashboard: model, alerts, faults, file, source } = answer
  const searchText = useSearch()
  const search = useMemo(() => new URLSearchParams(searchText), [searchText])
  const [, navigate] = useLocation()
  const at = useMoment()
  const range = useMemo(() => readTimeRange(search, model.durationSeconds), [search, model])
  const refreshSeconds = readRefresh(search, model.refreshSeconds)
  const variables = useVariables(model, search, range)
  const refresh = useRefresh()
  const context: PanelContext = { dashboard: model, range, values: variables.values, refreshSeconds }
  const { clusters, names } = clustersChosen(variables.states)
  const isMarking = clusters.length > 0 && areUpgradesShown(search)
  const { upgrades, loaded, failed } = useUpgradesOf(clusters, isMarking)
  const marks = { upgrades, variables: names }
  const open = model.panels.find(({ id }) => id === search.get('panel'))
  const go = (change: Readonly<Record<string, string | readonly string[]>>, isNew = false): void => {
    navigate(dashboardPath(model.name, { ...searchOfAll(search), ...change }), { replace: !isNew })
  }
  const choose = (chosen: TimeRange): void => {
    go(timeRangeSearch(chosen, model.durationSeconds), true)
  }
  const zoom = (fromMs: number, toMs: number): void => {
    choose({ kind: 'between', fromMs: Math.floor(fromMs / 1000) * 1000, toMs: Math.ceil(toMs / 1000) * 1000 })
  }
  const pathOf = (panel: string, of = ''): string => dashboardPath(model.name, { ...searchOfAll(search), panel, of })
  const openRepeat = open === undefined ? undefined : repeatInAddress(model, open, search, variables.states)
  const marksOf = (repeat: Repeat | undefined): typeof marks =>
    repeat === undefined || !names.has(repeat.variable)
      ? marks
      : { ...marks, upgrades: upgrades.filter(({ cluster }) => cluster === repeat.value) }
  useFocusKeys('[data-panel] h3 a')
  useKeys({
    Esc: () => {
      if (open !== undefined) go({ panel: '', of: '' }, true)
    },
  })
  const frame = (panel: DashboardPanel, repeat: Repeat | undefined): ReactNode => (
    <DashboardPanelFrame
      panel={panel}
      context={{ ...context, values: withRepeat(context.values, repeat) }}
      alerts={alerts[panel.id] ?? []}
      onZoom={zoom}
      openPath={pathOf(panel.id, repeat?.value)}
      variables={variables.states}
      marks={marksOf(repeat)}
    />
  )
  return (
    <>
      <div className={`row row-apart page-head ${styles.head}`}>
        <div>
          <h1>{model.title}</h1>
          {model.description === '' ? null : <p className="quiet">{model.description}</p>}
        </div>
        <TimeControls
          range={range}
          onRange={choose}
          refreshSeconds={refreshSeconds}
          onRefresh={(word) => {
            go({ refresh: word })
          }}
          onRefreshNow={refresh}
          isHeld={at !== undefined || range.kind === 'between'}
        />
      </div>
      <div className="row row-apart page-bar">
        <VariableBar
          variables={variables}
          onChoose={(name, values) => {
            go({ [`${VARIABLE_PREFIX}${name}`]: values })
          }}
        />
        {clusters.length === 0 ? null : (
          <UpgradeToggle
            isShown={isMarking}
            onChange={(isShown) => {
              go(upgradesSearch(isShown))
            }}
          />
        )}
        {model.links.length === 0 ? null : (
          <nav className="row" aria-label="Links of the dashboard">
            {model.links.map((link) => (
              <FileLink key={`${link.name} ${link.url}`} link={link} values={variables.values} />
            ))}
          </nav>
        )}
      </div>
      {isMarking ? (
        <UpgradeBandList bands={bandsOf(upgrades, spanOf(range, serverNowMs()))} loaded={loaded} failed={failed} />
      ) : null}
      {open === undefined ? (
        <DashboardGrids model={model} values={variables.values} variables={variables.states} renderPanel={frame} />
      ) : (
        <OpenPanel
          key={open.id}
          panel={
            openRepeat === undefined ? open : { ...open, title: repeatedTitle(open.title, context.values, openRepeat) }
          }
          context={{ ...context, values: withRepeat(context.values, openRepeat) }}
          answer={answer}
          onZoom={zoom}
          variables={variables.states}
          marks={marksOf(openRepeat)}
          backPath={pathOf('')}
        />
      )}
      <DashboardSource file={file} source={source} faults={faults} />
    </>
  )
}

/** The repeat of a panel in the address: `of`. */
function repeatInAddress(
  model: DashboardAnswer['dashboard'],
  panel: DashboardPanel,
  search: URLSearchParams,
  states: readonly VariableState[],
): Repeat | undefined {
  const grid = model.grids.find(({ items }) => items.some((item) => item.panel === panel.id))
  const value = search.get('of')
  if (grid === undefined || value === null || grid.repeatVariable === '') return undefined
  return repeatsOf(grid.repeatVariable, states).find((one) => one.value === value)
}

/** All parameters of an address. */
function searchOfAll(search: URLSearchParams): Record<string, readonly string[]> {
  return Object.fromEntries([...new Set(search.keys())].map((name) => [name, search.getAll(name)]))
}

interface OpenPanelProps {
  readonly panel: DashboardPanel
  readonly context: PanelContext
  readonly answer: DashboardAnswer
  readonly onZoom: (fromMs: number, toMs: number) => void
  readonly variables: readonly VariableState[]
  readonly marks: ComponentProps<typeof DashboardPanelFrame>['marks']
  readonly backPath: string
}

/** One panel with its queries and alerts. */
function OpenPanel({ panel, context, answer, onZoom, variables, marks, backPath }: OpenPanelProps): ReactNode {
  const alerts = answer.alerts[panel.id] ?? []
  return (
    <div className={`stack ${styles.open}`}>
      <p>
        <Link href={backPath}>All panels</Link> <kbd>Esc</kbd>
      </p>
      <DashboardPanelFrame
        panel={panel}
        context={context}
        alerts={[]}
        onZoom={onZoom}
        variables={variables}
        marks={marks}
      >
        {(answers) => <PanelQueries panel={panel} answers={answers} />}
      </DashboardPanelFrame>
      {panel.description === '' ? null : <p>{interpolateText(panel.description, context.values)}</p>}
      {panel.links.length === 0 ? null : (
        <ul>
          {panel.links.map((link) => (
            <li key={`${link.name} ${link.url}`}>
              <FileLink link={link} values={context.values} />
            </li>
          ))}
        </ul>
      )}
      {panel.notDone.length === 0 ? null : (
        <section aria-labelledby="panel-not-done">
          <h2 id="panel-not-done">Differs from the file</h2>
          <ul>
            {panel.notDone.map((text) => (
              <li key={text}>{asSentence(text)}</li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="panel-alerts">
        <h2 id="panel-alerts">Related alerts</h2>
        {alerts.length === 0 ? (
          <p className="quiet">No rule uses the metrics of this panel.</p>
        ) : (
          <PanelAlertList alerts={alerts} />
        )}
      </section>
    </div>
  )
}

/** The file of the dashboard, with its faults. */
function DashboardSource({ file, source, faults }: Pick<DashboardAnswer, 'file' | 'source' | 'faults'>): ReactNode {
  return (
    <details className={`screen-only ${styles.source}`}>
      <summary>
        {file}
        {faults.length === 0 ? '' : `, ${countOf(faults.length, 'fault')}`}
      </summary>
      {faults.length === 0 ? null : (
        <ul>
          {faults.map(({ severity, message, line, column, hint }) => (
            <li key={`${line}:${column} ${message}`}>
              <span className="nums">
                {line}:{column}
              </span>{' '}
              {severity}: {message}
              {hint === undefined ? '' : `; ${hint}`}
            </li>
          ))}
        </ul>
      )}
      <CodeBlock what="source" text={source}>
        {source}
      </CodeBlock>
    </details>
  )
}
