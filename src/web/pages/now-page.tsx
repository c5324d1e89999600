import { useState, type ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import type { Now } from '../../contract/now.ts'
import { clustersPath, edgesPath, NOW_SECTIONS, nowPath } from '../lib/paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { SILENCE_CAUSE_WORDS } from '../lib/fleet-names.ts'
import { HAND_OVER_PARAM } from '../lib/hand-over-view.ts'
import { behindSentence, coverageSentence, emptySentence, firingSentence, headlineOf } from '../lib/now-summary.ts'
import { msOf } from '../lib/format-time.ts'
import { stableNow } from '../lib/stable-list.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { ConnectCluster } from '../panels/connect-cluster.tsx'
import { FallingEdgesTable, FiringGroups, SilentList } from '../panels/now-tables.tsx'
import { FirstRows } from '../panels/first-rows.tsx'
import { ListChangesBar } from '../panels/list-changes-bar.tsx'
import { NowNumbers, OtherQuestions } from '../panels/now-numbers.tsx'
import { PhaseStrip, StuckTable, FollowingTable, UpgradingTable, WaitingTable } from '../panels/open-upgrades.tsx'
import { nowCall, useNow } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { BarList } from '../ui/bar-list.tsx'
import { Headline, type HeadlineKind } from '../ui/headline.tsx'
import { laterPart } from '../ui/later-part.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { useNowMs } from '../ui/server-clock.ts'
import { Moment } from '../ui/time.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { useUntouched } from '../ui/use-untouched.ts'

/** Rarely used, so it is loaded on demand. */
const HandOverPanel = laterPart(
  async () => (await import('../panels/hand-over-panel.tsx')).HandOverPanel,
  () => <Skeleton lines={8} label="Loading the shift handover" />,
)

/** After this time without input the page refreshes its lists: it may be on a wall display. */
const UNTOUCHED_MS = 60_000

/** The landing page. */
export function NowPage(): ReactNode {
  const query = useNow()
  const moment = useMoment()
  const stuck = query.data?.stuck.count ?? 0
  return (
    <div className="page">
      <title>{stuck > 0 ? `${stuck} stuck · Daytwo` : 'Now · Daytwo'}</title>
      <h1 className="visually-hidden">Now</h1>
      <Answer query={query} what="the fleet state" skeletonLines={10}>
        {(now) => <NowAnswer key={moment ?? ''} newest={now} />}
      </Answer>
      <ApiCallNote call={{ path: nowCall(moment) }} />
    </div>
  )
}

function NowAnswer({ newest }: { readonly newest: Now }): ReactNode {
  // The answer at the reader's last refresh: newer answers change the values, never the rows.
  const [read, setRead] = useState(newest)
  const { now, news } = stableNow(read, newest)
  const showNew = (): void => {
    setRead(newest)
  }
  const hasHandOver = new URLSearchParams(useSearch()).has(HAND_OVER_PARAM)
  useKeys({ u: showNew })
  useUntouched(UNTOUCHED_MS, showNew)
  const headline = headlineOf(newest)
  if (headline.kind === 'no_clusters' && newest.past !== undefined) return <NothingKnownYet past={newest.past} />
  if (headline.kind === 'no_clusters') return <ConnectCluster />
  if (headline.kind === 'reading') return <Notice kind="note" title={headline.sentence} />
  const behind = behindSentence(newest)
  return (
    <>
      {behind === undefined ? null : <Notice kind="partial" title={behind} />}
      <ListChangesBar news={news} noun="row" onShow={showNew} />
      {hasHandOver ? <HandOverPanel now={newest} /> : null}
      <NowNumbers now={newest} />
      <StuckPanel now={newest} stuck={now.stuck} headline={headline} />
      <div className="columns">
        <AlertsAndUpgrades now={now} newest={newest} />
        <FleetColumn now={now} newest={newest} />
      </div>
      <OtherQuestions />
    </>
  )
}

type StableNow = ReturnType<typeof stableNow>['now']

interface StuckPanelProps {
  readonly now: Now
  readonly stuck: StableNow['stuck']
  readonly headline: { readonly kind: HeadlineKind; readonly sentence: string }
}

function StuckPanel({ now, stuck, headline: { kind, sentence } }: StuckPanelProps): ReactNode {
  return (
    <Panel
      id={NOW_SECTIONS.stuck}
      title="Stuck"
      className="panel-first"
      aside={<Link href={nowPath({ handover: '8h' })}>Hand over</Link>}
    >
      <Headline kind={kind}>
        <strong>{sentence}</strong> <Coverage now={now} />
      </Headline>
      {stuck.items.length === 0 ? null : (
        <FirstRows list="stuck" noun="stuck upgrades" {...stuck} allPath={clustersPath({ state: 'stuck' })}>
          {(items) => <StuckTable upgrades={items} />}
        </FirstRows>
      )}
    </Panel>
  )
}

function Coverage({ now }: { readonly now: Now }): ReactNode {
  return coverageSentence(now, useNowMs())
}

interface ColumnProps {
  /** The rows that the reader sees, with their newest values. */
  readonly now: StableNow
  readonly newest: Now
}

function AlertsAndUpgrades({ now: { firing, upgrading, following }, newest }: ColumnProps): ReactNode {
  return (
    <div>
      <Panel title="Firing" aside={countOf(firing.groups.length, 'alert name')}>
        <FirstRows
          list="firing"
          noun="firing alerts"
          items={firing.groups}
          count={firing.groups.length}
          empty={firingSentence(newest)}
        >
          {(groups) => <FiringGroups groups={groups} />}
        </FirstRows>
      </Panel>
      <Panel id={NOW_SECTIONS.upgrading} title="Upgrading" aside={formatCount(upgrading.count)}>
        {upgrading.byPhase.length > 1 ? <PhaseStrip phases={upgrading.byPhase} /> : null}
        <FirstRows
          list="upgrading"
          noun="active upgrades"
          {...upgrading}
          allPath={clustersPath({ state: 'upgrading' })}
          empty={emptySentence(newest, 'No cluster is upgrading.')}
        >
          {(items) => <UpgradingTable upgrades={items} />}
        </FirstRows>
      </Panel>
      <Panel id={NOW_SECTIONS.following} title="Workload updates" aside="control plane upgraded, VMs remaining">
        <FirstRows
          list="following"
          noun="workload updates"
          {...following}
          empty={emptySentence(newest, 'No workload update in progress.')}
        >
          {(items) => <FollowingTable upgrades={items} />}
        </FirstRows>
      </Panel>
    </div>
  )
}

function FleetColumn({ now: { fallingEdges, waiting, versions, silent }, newest }: ColumnProps): ReactNode {
  return (
    <div>
      <Panel
        id={NOW_SECTIONS.edges}
        title="Regressing upgrade paths"
        aside={<Link href={edgesPath({ window: '7d' })}>this week, lowest success rate first</Link>}
      >
        <FirstRows
          list="edges"
          noun="regressing upgrade paths"
          {...fallingEdges}
          empty="No regressing upgrade paths in the last 14 days."
        >
          {(items) => <FallingEdgesTable edges={items} />}
        </FirstRows>
      </Panel>
      <Panel id={NOW_SECTIONS.waiting} title="Pending approval" aside={formatCount(waiting.count)}>
        <FirstRows
          list="waiting"
          noun="pending approvals"
          {...waiting}
          empty={emptySentence(newest, 'No pending approvals.')}
        >
          {(items) => <WaitingTable upgrades={items} />}
        </FirstRows>
      </Panel>
      <Panel id={NOW_SECTIONS.versions} title="Versions" aside={`of ${countOf(versions.of, 'reporting cluster')}`}>
        <Versions versions={versions} />
      </Panel>
      <Panel id={NOW_SECTIONS.silent} title="Silent" aside={<SilentAside now={newest} />}>
        <SilenceCauses counts={[...silent.byCause, ...silent.oneSource]} />
        <FirstRows
          list="silent"
          noun="silent clusters"
          {...silent}
          allPath={clustersPath({ state: 'silent' })}
          empty="No silent clusters: every known cluster is reporting."
        >
          {(items) => <SilentList clusters={items} />}
        </FirstRows>
      </Panel>
    </div>
  )
}

/** Each cause with its clusters, also of clusters of which one data source is silent. */
function SilenceCauses({ counts }: { readonly counts: Now['silent']['byCause'] }): ReactNode {
  return counts.map(({ cause, count }) => (
    <Link
      key={cause}
      href={clustersPath({ silence: cause })}
      style={{ display: 'inline-block', paddingBlock: '0.25rem', marginInlineEnd: '1rem' }}
    >
      {SILENCE_CAUSE_WORDS[cause]} {formatCount(count)}
    </Link>
  ))
}

/** The numbers of silent and of decommissioned clusters. */
function SilentAside({ now: { silent, clusters } }: { readonly now: Now }): ReactNode {
  if (clusters.gone === 0) return formatCount(silent.count)
  return (
    <>
      {formatCount(silent.count)},{' '}
      <Link href={clustersPath({ state: 'gone' })}>{formatCount(clusters.gone)} decommissioned</Link>
    </>
  )
}

/** Newest version first; clusters without a reported version are the last line, so the shares add up to 100 %. */
function Versions({ versions }: Pick<Now, 'versions'>): ReactNode {
  const bars = versions.items.map(({ version, clusters }) => ({ key: version, count: clusters }))
  if (versions.untold > 0) bars.push({ key: 'not known', count: versions.untold })
  return <BarList bars={bars} total={versions.of} />
}

/** At a moment before the first cluster was seen. */
function NothingKnownYet({ past: { knownFrom } }: { readonly past: NonNullable<Now['past']> }): ReactNode {
  return (
    <Notice kind="note" title="No data at this time">
      {knownFrom === null ? (
        'No cluster has reported yet.'
      ) : (
        <>
          The first cluster reported at <Moment atMs={msOf(knownFrom)} />.
        </>
      )}
    </Notice>
  )
}
