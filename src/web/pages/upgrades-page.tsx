import { sortedBy } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { StuckItems, UpgradeItems } from '../../contract/fleet-upgrades.ts'
import { UPGRADE_OPERATORS } from '../../model/upgrade.ts'
import type { EdgeItem } from '../../contract/fleet-edges.ts'
import { clustersPath, upgradesPath } from '../lib/paths.ts'
import { operatorName } from '../lib/fleet-names.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { heatRows } from '../lib/phase-heat.ts'
import { waitsForApproval } from '../lib/upgrade-bands.ts'
import {
  isUpgradeViewNarrowed,
  questionOfUpgradeView,
  type UpgradeListView,
  UPGRADE_VIEW,
} from '../lib/upgrade-view.ts'
import { newUpgrades } from '../lib/stable-list.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { DurationExplorer, type ExplorerView } from '../panels/fleet/duration-explorer.tsx'
import { FleetCoverageNote, NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { FirstRows } from '../panels/first-rows.tsx'
import { HeatMap } from '../panels/fleet/heat-map.tsx'
import { UpgradeComparison } from '../panels/fleet/upgrade-comparison.tsx'
import { UpgradeFilters } from '../panels/fleet/upgrade-filters.tsx'
import { UpgradeHistory } from '../panels/fleet/upgrade-history.tsx'
import { ListChangesBar } from '../panels/list-changes-bar.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useEdges } from '../query/use-edges.ts'
import { useMoment } from '../query/use-moment.ts'
import {
  upgradesCall,
  UPGRADES_MAX,
  useNewestUpgrades,
  useStuck,
  useUpgradeHistory,
  useUpgrades,
  useUpgradesById,
} from '../query/use-upgrades.ts'
import { Button } from '../ui/button.tsx'
import { DataAge } from '../ui/data-age.tsx'
import { Headline } from '../ui/headline.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Panel } from '../ui/panel.tsx'
import { serverNowMs, useNowMs } from '../ui/server-clock.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { useKeys } from '../ui/use-keys.ts'
import styles from './upgrades-page.module.css'

const RUNNING = { state: 'in_progress' } as const

/** Active upgrades by phase, and the history of all upgrades. */
export function UpgradesPage(): ReactNode {
  const { view, change } = useView(UPGRADE_VIEW, upgradesPath)
  const moment = useMoment()
  const edges = useEdges().data?.edges ?? []
  const running = useUpgrades(RUNNING)
  const stuck = useStuck()
  return (
    <div className="page">
      <title>Upgrades · Daytwo</title>
      <h1 className="visually-hidden">Fleet: upgrades</h1>
      <PagesNav place="Fleet" />
      {view.compare.length === 0 ? null : <ComparePanel view={view} onChange={change} />}
      <Panel
        title="Active"
        aside={running.data === undefined ? undefined : <FleetCoverageNote coverage={running.data.coverage} />}
      >
        <Answer query={running} what="the active upgrades" skeletonLines={6}>
          {(answer) =>
            stuck.data === undefined && stuck.error !== null ? (
              <>
                <Answer query={stuck} what="the stuck upgrades">
                  {() => null}
                </Answer>
                <Running answer={answer} verdicts={undefined} edges={edges} />
              </>
            ) : (
              <Answer query={stuck} what="the stuck upgrades" skeletonLines={6}>
                {(verdicts) => <Running answer={answer} verdicts={verdicts} edges={edges} />}
              </Answer>
            )
          }
        </Answer>
        <ApiCallNote call={{ path: upgradesCall(RUNNING, moment, UPGRADES_MAX) }} />
      </Panel>
      {view.sizes ? <SizesPanel view={view} /> : null}
      <HistoryPanel view={view} onChange={change} edges={edges} />
    </div>
  )
}

/** Stuck upgrades first, then by start. The history below must stay within reach. */
const ROWS_AT_FIRST = 20

interface RunningProps {
  readonly answer: UpgradeItems
  /** Absent: could not be loaded. */
  readonly verdicts: StuckItems | undefined
  readonly edges: readonly EdgeItem[]
}

function Running({ answer, verdicts, edges }: RunningProps): ReactNode {
  const goneClusters = new Set(answer.goneClusters)
  const upgrades = answer.upgrades.filter(({ cluster }) => !goneClusters.has(cluster))
  const rows = heatRows(upgrades, verdicts?.stuck ?? [], edges, Date.parse(answer.asOf))
  const left = <GoneUpgrades count={answer.upgrades.length - upgrades.length} />
  if (rows.length === 0) {
    if (answer.coverage.clusters + answer.coverage.gone === 0) return <NoClusterNote />
    return (
      <>
        <Headline kind="good">
          <strong>No active upgrades.</strong> The history is below.
        </Headline>
        {left}
      </>
    )
  }
  const waiting = upgrades.filter(waitsForApproval).length
  return (
    <>
      <p className="nums space-below">
        <strong>{countOf(upgrades.length - waiting, 'upgrade')}</strong> active
        {answer.nextCursor === null ? '' : ` (of the first ${formatCount(UPGRADES_MAX)})`}, {formatCount(waiting)}{' '}
        pending approval
        {verdicts === undefined ? (
          ', number of stuck upgrades not known'
        ) : (
          <>
            ,{' '}
            <strong className={verdicts.stuckCount > 0 ? 'tone-critical' : ''}>
              {formatCount(verdicts.stuckCount)}
            </strong>{' '}
            stuck, {formatCount(verdicts.silentCount)} on silent clusters
          </>
        )}
      </p>
      <FirstRows list="running" noun="active upgrades" items={rows} count={rows.length} atFirst={ROWS_AT_FIRST}>
        {(first) => <HeatMap rows={first} />}
      </FirstRows>
      {left}
    </>
  )
}

/** Upgrades that never ended because their cluster was decommissioned. */
function GoneUpgrades({ count }: { readonly count: number }): ReactNode {
  if (count === 0) return null
  return (
    <p className="quiet">
      {countOf(count, 'more upgrade', 'more upgrades')} on{' '}
      <Link href={clustersPath({ state: 'gone' })}>decommissioned clusters</Link>.
    </p>
  )
}

interface HistoryPanelProps {
  readonly view: UpgradeListView
  readonly onChange: (view: UpgradeListView) => void
  readonly edges: readonly EdgeItem[]
}

function HistoryPanel({ view, onChange, edges }: HistoryPanelProps): ReactNode {
  const moment = useMoment()
  const question = questionOfUpgradeView(view, serverNowMs())
  const history = useUpgradeHistory(question)
  const newest = useNewestUpgrades(question).data?.upgrades ?? []
  const refresh = (): void => {
    void history.refetch()
  }
  useKeys({
    u: refresh,
  })
  return (
    <section aria-labelledby="history">
      <h2 id="history" className={styles.head}>
        History
      </h2>
      <UpgradeFilters view={view} onChange={onChange} edges={edges} />
      <Answer query={history} what="the history" skeletonLines={12} call={upgradesCall(question, moment)}>
        {({ pages }) => {
          const asOf = pages[0]?.asOf
          const { rows: upgrades, newCount } = newUpgrades(
            pages.flatMap((page) => page.upgrades),
            newest,
            view.sort === 'started' && view.order === 'desc',
            asOf === undefined ? Infinity : Date.parse(asOf),
          )
          return (
            <>
              <ListChangesBar news={{ newCount, goneCount: 0 }} noun="upgrade" onShow={refresh} />
              <ListLine
                count={
                  history.hasNextPage
                    ? `${formatCount(upgrades.length)} loaded, more available`
                    : countOf(upgrades.length, 'upgrade')
                }
              >
                <DataAge asOf={asOf} />
                <Button variant="inline" isAriaDisabled={history.isFetching} onClick={refresh}>
                  {history.isFetching ? 'Loading…' : 'Refresh'} <kbd>u</kbd>
                </Button>
                <Button
                  variant="inline"
                  aria-expanded={view.sizes}
                  onClick={() => {
                    onChange({ ...view, sizes: !view.sizes })
                  }}
                >
                  Durations by cluster size
                </Button>
                <span className="quiet">Select two to five upgrades to compare.</span>
                <ApiCallNote call={{ path: upgradesCall(question, moment) }} />
              </ListLine>
              {upgrades.length === 0 ? (
                <p className="empty quiet">
                  {isUpgradeViewNarrowed(view) ? 'No upgrade matches these filters.' : 'No upgrades observed yet.'}
                </p>
              ) : (
                <UpgradeHistory
                  upgrades={upgrades}
                  hasMore={history.hasNextPage}
                  view={view}
                  onSort={(sort) => {
                    onChange(sortedBy(view, sort, 'cluster'))
                  }}
                  onCompare={(id, isChosen) => {
                    const others = view.compare.filter((one) => one !== id)
                    onChange({ ...view, compare: isChosen ? [...others, id] : others })
                  }}
                  onNeedMore={() => {
                    if (history.hasNextPage && !history.isFetching) void history.fetchNextPage()
                  }}
                />
              )}
            </>
          )
        }}
      </Answer>
    </section>
  )
}

/** Of all edges of one operator: of several, sizes would be mixed with what each operator does. */
function SizesPanel({ view: { operator, from, to, began } }: { readonly view: UpgradeListView }): ReactNode {
  const [explored, setExplored] = useState<ExplorerView>({ phase: '', show: 'plot' })
  const one = operator === '' ? UPGRADE_OPERATORS[0] : operator
  return (
    <>
      <p className="quiet">
        {from === '' && to === '' ? 'All upgrade paths' : 'The upgrade paths selected below'} of {operatorName(one)}.
      </p>
      <DurationExplorer asked={{ operator: one, from, to, window: began }} view={explored} onChange={setExplored} />
    </>
  )
}

function ComparePanel({ view, onChange }: Omit<HistoryPanelProps, 'edges'>): ReactNode {
  const nowMs = useNowMs()
  const found = useUpgradesById(view.compare)
  const upgrades = found.flatMap(({ data }) => (data === undefined ? [] : [data]))
  const failed = found.filter(({ error }) => error !== null)
  return (
    <Panel
      title="Comparison"
      id="compared"
      aside={
        <Button
          variant="inline"
          onClick={() => {
            onChange({ ...view, compare: [] })
          }}
        >
          Clear
        </Button>
      }
    >
      <p className="quiet">
        Aligned at the start of each upgrade, without the time pending approval.{' '}
        {view.compare.length < 2 ? 'Select another upgrade below.' : ''}
      </p>
      {failed[0] === undefined ? null : (
        <Answer
          query={failed[0]}
          what={failed.length === 1 ? 'one of the compared upgrades' : `${failed.length} of the compared upgrades`}
        >
          {() => null}
        </Answer>
      )}
      {found.some(({ isPending }) => isPending) ? <Skeleton lines={8} label="Loading the compared upgrades" /> : null}
      {upgrades.length === 0 ? null : (
        <UpgradeComparison
          upgrades={upgrades}
          nowMs={nowMs}
          onRemove={(id) => {
            onChange({ ...view, compare: view.compare.filter((one) => one !== id) })
          }}
        />
      )}
    </Panel>
  )
}
