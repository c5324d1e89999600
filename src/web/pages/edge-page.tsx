import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { EdgeComparisonItem, EdgeItem } from '../../contract/fleet-edges.ts'
import { durationSentence, edgeKey, edgeName, phaseSentence, successSentence, successText } from '../lib/edge-text.ts'
import { EDGE_WINDOWS, edgeWindowWords, type EdgeView, type EdgeWindow, EDGE_VIEW } from '../lib/edge-view.ts'
import { edgePath, edgesPath, upgradesPath } from '../lib/paths.ts'
import { operatorName, stepText } from '../lib/fleet-names.ts'
import { formatCount } from '../lib/format-number.ts'
import { compareVersions } from '../lib/version-order.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { DurationExplorer } from '../panels/fleet/duration-explorer.tsx'
import { EdgePhases } from '../panels/fleet/edge-phases.tsx'
import { lengthOr, SuccessWhisker } from '../panels/fleet/edge-table.tsx'
import { FleetCoverageNote } from '../panels/fleet/fleet-coverage.tsx'
import { UpgradeRows } from '../panels/fleet/upgrade-rows.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { compareCall, edgesCall, useEdgeComparison, useEdges } from '../query/use-edges.ts'
import { useMoment } from '../query/use-moment.ts'
import { useUpgrades } from '../query/use-upgrades.ts'
import { Choice } from '../ui/choice.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { TitleLine } from '../ui/title-line.tsx'
import { Panel } from '../ui/panel.tsx'
import { Select } from '../ui/select.tsx'
import { Ago } from '../ui/time.tsx'
import { useKeys } from '../ui/use-keys.ts'
import styles from './edge-page.module.css'

interface EdgePageProps {
  readonly operator: string
  readonly from: string
  readonly to: string
}

/** One edge, and its comparison with another one. */
export function EdgePage({ operator, from, to }: EdgePageProps): ReactNode {
  const { view, change, set } = useView(EDGE_VIEW, (search) => edgePath(operator, from, to, search))
  const { window } = view
  const asked = { operator, from, to, window }
  const query = useEdges(asked)
  const moment = useMoment()
  const [, navigate] = useLocation()
  useKeys({
    Esc: () => {
      navigate(edgesPath({ window }))
    },
  })
  return (
    <div className="page">
      <title>{`${stepText({ operator, from, to })} · Daytwo`}</title>
      <PagesNav place="Fleet" />
      <TitleLine
        title={<span className="nums">{stepText({ operator, from, to })}</span>}
        tools={<Choice label="Upgrades started" options={EDGE_WINDOWS} value={window} onChange={set('window')} />}
      />
      <Answer query={query} what="the upgrade path" skeletonLines={12}>
        {({ edges: [edge], coverage }) =>
          edge === undefined ? (
            <p className="empty quiet">
              No {window === '' ? 'stored upgrade' : 'upgrade started in this range'} of {operatorName(operator)} goes
              from {from} to {to}.
            </p>
          ) : (
            <>
              <div className="columns">
                <div>
                  <Panel title="Durations by phase" aside="active upgrades count as longer than observed so far">
                    <EdgePhases edge={edge} />
                  </Panel>
                  <DurationExplorer
                    asked={{ operator, from, to, window }}
                    view={{ phase: view.phase, show: view.runs }}
                    onChange={({ phase, show }) => {
                      change({ phase, runs: show })
                    }}
                  />
                  <ComparePanel edge={edge} view={view} onCompare={set('than')} />
                </div>
                <div>
                  <EdgeFacts edge={edge} window={window} />
                  <Panel
                    title="Upgrades"
                    aside={<Link href={upgradesPath({ operator, from, to, began: window })}>in the history</Link>}
                  >
                    <EdgeUpgrades operator={operator} from={from} to={to} />
                  </Panel>
                </div>
              </div>
              <FleetCoverageNote coverage={coverage} />
            </>
          )
        }
      </Answer>
      <ApiCallNote call={{ path: edgesCall(asked, moment) }} />
    </div>
  )
}

function EdgeFacts({ edge, window }: { readonly edge: EdgeItem; readonly window: EdgeWindow }): ReactNode {
  const { attempts, outcomes, duration, firstAt, lastAt } = edge
  const words = [
    ['succeeded', outcomes.succeeded],
    ['failed', outcomes.failed],
    ['rolled back', outcomes.rolledBack],
    ['superseded', outcomes.superseded],
    ['running', outcomes.inProgress],
    ['not known', outcomes.unknown],
  ] as const
  return (
    <Panel title="Success" aside={edgeWindowWords(window)}>
      <SuccessWhisker edge={edge} />
      <FactList
        facts={[
          { name: 'Succeeded', value: successText(edge) },
          { name: 'Attempts', value: formatCount(attempts) },
          {
            name: 'Outcomes',
            value: words
              .filter(([, count]) => count > 0)
              .map(([word, count]) => `${formatCount(count)} ${word}`)
              .join(', '),
          },
          { name: 'p50', value: lengthOr(duration.p50Seconds) },
          { name: 'p90', value: lengthOr(duration.p90Seconds) },
          { name: 'First', value: <Ago at={firstAt} /> },
          { name: 'Last', value: <Ago at={lastAt} /> },
        ]}
      />
    </Panel>
  )
}

const UPGRADES_SHOWN = 12

function EdgeUpgrades(asked: EdgePageProps): ReactNode {
  const query = useUpgrades({ ...asked })
  return (
    <Answer query={query} what="its upgrades" skeletonLines={4}>
      {({ upgrades }) => <UpgradeRows upgrades={upgrades.slice(0, UPGRADES_SHOWN)} byCluster />}
    </Answer>
  )
}

interface ComparePanelProps {
  readonly edge: EdgeItem
  readonly view: EdgeView
  readonly onCompare: (than: string) => void
}

/** Compares the upgrade path with another one of the operator. */
function ComparePanel({ edge, view: { than, window }, onCompare }: ComparePanelProps): ReactNode {
  const moment = useMoment()
  const others = (useEdges({ operator: edge.operator, window }).data?.edges ?? [])
    .filter((other) => edgeKey(other) !== edgeKey(edge))
    .sort((a, b) => compareVersions(a.to, b.to) || compareVersions(a.from, b.from))
  const asked = { operator: edge.operator, first: edgeKey(edge), second: than, window }
  const compared = useEdgeComparison(asked)
  return (
    <Panel
      title="Compare"
      aside={
        <Select
          label="Compare with"
          none="with another path…"
          options={others.map((other) => ({
            value: edgeKey(other),
            text: `${edgeName(other)} (${formatCount(other.attempts)})`,
          }))}
          value={than}
          onChange={onCompare}
        />
      }
    >
      {than === '' ? (
        <p className="quiet">Choose an upgrade path to compare with, for example the path to the fix release.</p>
      ) : (
        <>
          <Answer query={compared} what="the comparison" skeletonLines={4}>
            {(comparison) => <Comparison comparison={comparison} />}
          </Answer>
          <ApiCallNote call={{ path: compareCall(asked, moment) }} />
        </>
      )}
    </Panel>
  )
}

function Comparison({ comparison }: { readonly comparison: EdgeComparisonItem }): ReactNode {
  const { first, second, phases } = comparison
  return (
    <>
      <p className={styles.verdict}>{successSentence(comparison)}</p>
      <p className={styles.verdict}>{durationSentence(comparison)}</p>
      <DataTable label="Compared upgrade paths" columns={BOTH_COLUMNS} rows={[first, second]} rowKey={edgeKey} />
      <h3 className="panel-part-head">
        Phases: {edgeName(first)} compared with {edgeName(second)}
      </h3>
      <ul className="plain-list">
        {phases.map((phase) => (
          <li key={phase.phase} className={phase.verdict === 'slower' || phase.verdict === 'faster' ? '' : 'quiet'}>
            {phaseSentence(phase)}
          </li>
        ))}
      </ul>
    </>
  )
}

const BOTH_COLUMNS: readonly Column<EdgeComparisonItem['first']>[] = [
  { head: 'Upgrade path', kind: 'name', cell: (edge) => <span className="nums">{edgeName(edge)}</span> },
  { head: 'Succeeded', cell: (edge) => <SuccessWhisker edge={edge} /> },
  { head: 'p50', kind: 'number', cell: ({ duration }) => lengthOr(duration.p50Seconds) },
  { head: 'p90', kind: 'number', cell: ({ duration }) => lengthOr(duration.p90Seconds) },
]
