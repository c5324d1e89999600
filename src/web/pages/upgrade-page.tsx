import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { UpgradeDetailItem } from '../../contract/fleet-upgrades.ts'
import { tracePath, clusterPath, edgePath, upgradePath, upgradesPath, alertPath } from '../lib/paths.ts'
import { stepText } from '../lib/fleet-names.ts'
import { formatShortLength } from '../lib/format-time.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { upgradeMarkdown } from '../lib/upgrade-markdown.ts'
import { upgradeWindow, type UpgradeWindow } from '../lib/upgrade-bands.ts'
import { SaveReview } from '../panels/save-review.tsx'
import { upgradeReviewCall } from '../query/use-runbook-work.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { VerdictLine } from '../panels/fleet/cluster-open-upgrades.tsx'
import { PhaseLaneTable } from '../panels/fleet/phase-lane-table.tsx'
import {
  CauseList,
  ComponentTable,
  ConditionChanges,
  EvidenceList,
  VirtHandlerWaves,
  WorkloadTail,
} from '../panels/fleet/upgrade-parts.tsx'
import { OutcomeMark, DurationText } from '../panels/fleet/upgrade-rows.tsx'
import { BundleButton } from '../panels/bundle-button.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useAlertOccurrences } from '../query/use-alert-occurrences.ts'
import { useMoment } from '../query/use-moment.ts'
import { upgradeBundleCall } from '../query/use-bundle.ts'
import { upgradeCall, useUpgrade, useUpgrades } from '../query/use-upgrades.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { FactList } from '../ui/fact-list.tsx'
import { SeverityMark } from '../ui/marks.tsx'
import { StuckMark } from '../ui/outcome-marks.tsx'
import { MomentList } from '../ui/moment-list.tsx'
import { Notice } from '../ui/notice.tsx'
import { TitleLine } from '../ui/title-line.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago, Moment } from '../ui/time.tsx'
import { useKeys } from '../ui/use-keys.ts'

/** One upgrade: its phase, what it is blocked by, and the evidence. */
export function UpgradePage({ id }: { readonly id: string }): ReactNode {
  const query = useUpgrade(id)
  const moment = useMoment()
  const [, navigate] = useLocation()
  useKeys({
    Esc: () => {
      navigate(upgradesPath())
    },
  })
  return (
    <div className="page">
      <PagesNav place="Fleet" />
      {query.data === undefined ? (
        <>
          <title>Upgrade · Daytwo</title>
          <h1>Upgrade</h1>
        </>
      ) : null}
      <Answer query={query} what="the upgrade" skeletonLines={14}>
        {(detail) => <UpgradeAnswer detail={detail} />}
      </Answer>
      <ApiCallNote call={{ path: upgradeCall(id, moment) }} />
    </div>
  )
}

function UpgradeAnswer({ detail }: { readonly detail: UpgradeDetailItem }): ReactNode {
  const { upgrade, verdict, virtHandler, workloads, components } = detail
  const { cluster } = upgrade
  const causes = verdict?.causes ?? []
  const blocked = causes.length > 0 ? causes : upgrade.blockedBy === null ? [] : [upgrade.blockedBy]
  const step = stepText(upgrade)
  return (
    <>
      <title>{`${step} on ${cluster} · Daytwo`}</title>
      <TitleLine
        title={
          <span className="nums">
            {step} on <Link href={clusterPath(cluster)}>{cluster}</Link>
          </span>
        }
        tools={
          <>
            <SaveReview path={upgradeReviewCall(upgrade.id)} />
            <CopyButton
              text={upgradeMarkdown(detail, `${location.origin}${upgradePath(upgrade.id)}`)}
              label="Copy as Markdown"
            />
            <BundleButton call={upgradeBundleCall(upgrade.id)} />
          </>
        }
      >
        {verdict?.stuck === true ? <StuckMark /> : <OutcomeMark upgrade={upgrade} />}
      </TitleLine>
      {detail.clusterGoneSince === null ? null : (
        <Notice kind="note" title="Cluster decommissioned">
          <Link href={clusterPath(cluster)}>{cluster}</Link> was decommissioned at{' '}
          <Moment atMs={Date.parse(detail.clusterGoneSince)} />: this upgrade is not tracked any more.
        </Notice>
      )}
      {verdict === null && blocked.length === 0 ? null : (
        <Panel title={blocked.length > 0 ? 'Blocked by' : 'Progress'}>
          {verdict === null ? null : <VerdictLine verdict={{ ...verdict, causes: [] }} />}
          {blocked.length === 0 ? null : <CauseList causes={blocked} />}
        </Panel>
      )}
      <Panel title="Phases" aside={`exact to ±${upgrade.resolutionSeconds} s`}>
        <PhaseLaneTable detail={detail} />
      </Panel>
      <div className="columns">
        <div>
          {components.length === 0 ? null : (
            <Panel title="Components">
              <ComponentTable components={components} />
            </Panel>
          )}
          <AlertsInWindow detail={detail} />
          <Panel title="Evidence" aside={countOf(upgrade.evidence.length, 'observation')}>
            {upgrade.evidence.length === 0 ? (
              <p className="quiet">No stored evidence.</p>
            ) : (
              <EvidenceList evidence={upgrade.evidence} label="Evidence" hasPhase />
            )}
          </Panel>
          <Panel title="Condition changes">
            <ConditionChanges detail={detail} />
          </Panel>
        </div>
        <div>
          <UpgradeFacts detail={detail} />
          {virtHandler === null ? null : (
            <Panel title="virt-handler">
              <VirtHandlerWaves handler={virtHandler} phases={upgrade.phases} />
            </Panel>
          )}
          {workloads === null ? null : (
            <Panel title="VMs">
              <WorkloadTail workloads={workloads} />
            </Panel>
          )}
          <Neighbours detail={detail} />
        </div>
      </div>
    </>
  )
}

function UpgradeFacts({ detail }: { readonly detail: UpgradeDetailItem }): ReactNode {
  const { upgrade, csv, installPlan, subscription, namespace, lastProgressAt, traceId, medianRun } = detail
  const { operator, from, to, channel, approval, state, startedAt, endedAt } = upgrade
  const facts = [
    { name: 'Started', value: startedAt === null ? 'not known' : <Moment atMs={Date.parse(startedAt)} /> },
    {
      name: 'Ended',
      value:
        endedAt === null ? state === 'in_progress' ? 'not yet' : 'not known' : <Moment atMs={Date.parse(endedAt)} />,
    },
    { name: 'Duration', value: <DurationText upgrade={upgrade} /> },
    { name: 'Nodes', value: upgrade.nodes === null ? 'not known' : formatCount(upgrade.nodes) },
    ...(lastProgressAt === null ? [] : [{ name: 'Last progress', value: <Ago at={lastProgressAt} /> }]),
    ...(channel === null ? [] : [{ name: 'Channel', value: channel }]),
    ...(approval === null ? [] : [{ name: 'Approval', value: approval }]),
    ...(csv.name === null ? [] : [{ name: 'CSV', value: <code>{csv.name}</code> }]),
    ...(installPlan === null ? [] : [{ name: 'Install plan', value: <code>{installPlan}</code> }]),
    ...(subscription === null ? [] : [{ name: 'Subscription', value: <code>{subscription}</code> }]),
    ...(namespace === null ? [] : [{ name: 'Namespace', value: <code>{namespace}</code> }]),
    ...(from === null
      ? []
      : [{ name: 'Upgrade path', value: <Link href={edgePath(operator, from, to)}>all upgrades on this path</Link> }]),
    {
      name: 'Trace',
      value:
        startedAt === null ? (
          'none: the start is not known'
        ) : (
          <Link href={tracePath(traceId)}>its phases as spans</Link>
        ),
    },
    ...(startedAt === null || medianRun === null
      ? []
      : [
          {
            name: 'Compare with',
            value: (
              <Link href={tracePath(traceId, { than: medianRun.traceId })}>
                the median upgrade on this path ({medianRun.cluster}, {formatShortLength(medianRun.seconds)})
              </Link>
            ),
          },
        ]),
  ]
  return (
    <Panel title="Details">
      <FactList facts={facts} />
    </Panel>
  )
}

/** Alerts that fired on the cluster while it ran. */
function AlertsInWindow({ detail: { upgrade } }: { readonly detail: UpgradeDetailItem }): ReactNode {
  const ran = upgradeWindow(upgrade)
  return ran === undefined ? null : <AlertRunsPanel cluster={upgrade.cluster} ran={ran} />
}

function AlertRunsPanel({ cluster, ran }: { readonly cluster: string; readonly ran: UpgradeWindow }): ReactNode {
  const runs = useAlertOccurrences(cluster, ran.fromMs, ran.toMs)
  return (
    <Panel title="Alerts during the upgrade">
      {ran.isEndKnown ? null : (
        <p className="quiet">The end is not known: the list ends with the last reported phase.</p>
      )}
      <Answer query={runs} what="the alerts" skeletonLines={3}>
        {(answer) =>
          answer.runs.length === 0 ? (
            <p className="quiet">No alerts fired on this cluster.</p>
          ) : (
            <MomentList
              label="Alerts during the upgrade"
              items={answer.runs.map(({ fingerprint, alertname, severity, firedAtMs, resolvedAtMs }) => ({
                key: `${fingerprint} ${firedAtMs}`,
                atMs: firedAtMs,
                content: (
                  <span className="mark-line">
                    <Link href={alertPath(fingerprint)}>{alertname}</Link>
                    <SeverityMark severity={severity} />
                    <span className="quiet">{resolvedAtMs === undefined ? 'firing' : 'resolved'}</span>
                  </span>
                ),
              }))}
            />
          )
        }
      </Answer>
    </Panel>
  )
}

/** The cluster's upgrades of the same operator before and after this one. */
function Neighbours({ detail: { upgrade } }: { readonly detail: UpgradeDetailItem }): ReactNode {
  const query = useUpgrades({ cluster: upgrade.cluster, operator: upgrade.operator })
  return (
    <Panel title="Previous and next upgrade">
      <Answer query={query} what="the upgrades of this cluster" skeletonLines={2}>
        {({ upgrades }) => {
          const at = upgrades.findIndex(({ id }) => id === upgrade.id)
          const [after, before] = at < 0 ? [undefined, undefined] : [upgrades[at - 1], upgrades[at + 1]]
          if (before === undefined && after === undefined)
            return <p className="quiet">No other upgrade of this operator is known.</p>
          return (
            <FactList
              facts={[
                { name: 'Previous', value: before === undefined ? 'none known' : <NeighbourLink upgrade={before} /> },
                { name: 'Next', value: after === undefined ? 'none yet' : <NeighbourLink upgrade={after} /> },
              ]}
            />
          )
        }}
      </Answer>
    </Panel>
  )
}

function NeighbourLink({ upgrade }: { readonly upgrade: UpgradeDetailItem['upgrade'] }): ReactNode {
  return (
    <>
      <Link href={upgradePath(upgrade.id)} className="nums">
        {upgrade.from ?? 'unknown'} → {upgrade.to}
      </Link>{' '}
      <OutcomeMark upgrade={upgrade} />
    </>
  )
}
