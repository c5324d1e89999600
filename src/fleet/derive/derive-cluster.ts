/**
 * From all evidence of a cluster to its facts. A pure function of the set of observations: no clock, no order of arrival,
 * no state; the same set in any order and with any repeats gives the same bytes. Objects take precedence over spans, spans
 * over metrics; what no evidence reports is unknown.
 */
import { withHazardsAtStart } from '../readiness/at-start.ts'
import { spanEvidenceOf } from '../trace/span-evidence.ts'
import type { ClusterFacts, ObservationReader } from '../../model/fleet-facts.ts'
import type { Span } from '../../model/span.ts'
import type { ClusterObservations, SpanEvidence } from '../../model/observation.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { blocksOf } from './block-signatures.ts'
import { clusterHistory, type ClusterHistory } from './cluster-history.ts'
import { withGateWaits } from './gate-waits.ts'
import { claimProblems, mixedProblems, withoutMixed } from './identity-conflict.ts'
import type { UpgradeDraft } from './upgrade-draft.ts'
import { ATTEMPTS_MAX, hcoAttempts } from './hco-attempts.ts'
import { hcoUpgrades } from './hco-upgrades.ts'
import { hasHco, kubevirtUpgradesByMetrics, kubevirtUpgradesByObjects } from './kubevirt-upgrades.ts'
import { mergeDrafts, isOpen, toRecord } from './upgrade-record.ts'
import { metricUpgrades } from './metric-upgrades.ts'
import { platformUpgradesByMetrics, platformUpgradesByObjects } from './platform-upgrades.ts'
import { spanUpgrades } from './span-upgrades.ts'
import { deriveRecord } from './cluster.ts'
import { deriveIntervals } from './intervals.ts'
import { deriveModifications } from './modifications.ts'
import { deriveValues } from '../past/derive-values.ts'

/** What a cluster has too much of, so that it is not derived. */
export interface Dropped {
  /** Changes whose past values are not stored (`POINTS_MAX`). */
  readonly changes: number
  /** Of HCO, the oldest (`ATTEMPTS_MAX`). */
  readonly attempts: number
}

/** `dropped` absent: nothing. */
export type DerivedCluster = ClusterFacts & { readonly dropped?: Dropped }

export function deriveCluster(observations: ClusterObservations): DerivedCluster {
  const history = clusterHistory(observations)
  const upgrades = upgradesOf(history)
  const intervals = deriveIntervals(history, upgrades)
  const identityProblems = [...claimProblems(history), ...mixedProblems(history, metricDrafts(history))]
  const modifications = deriveModifications(history, upgrades)
  const { values, dropped: changes } = deriveValues(history, intervals)
  const attempts = Math.max(0, hcoAttempts(history).length - ATTEMPTS_MAX)
  return {
    cluster: { ...deriveRecord(history, intervals, identityProblems), ...vmsOf(upgrades) },
    intervals,
    upgrades: withHazardsAtStart(history, upgrades, intervals, modifications),
    modifications,
    values,
    ...(changes + attempts === 0 ? {} : { dropped: { changes, attempts } }),
  }
}

/** When a workload update starts, all running VMs are outdated. */
function vmsOf(upgrades: readonly UpgradeRecord[]): Pick<ClusterFacts['cluster'], 'vmsAtLastUpdate'> {
  const started = upgrades.flatMap(({ detail }) => detail.workloads?.outdatedAtStart ?? [])
  const vms = started.findLast((count) => count > 0)
  return vms === undefined ? {} : { vmsAtLastUpdate: vms }
}

export function deriveUpgrades(observations: ClusterObservations): readonly UpgradeRecord[] {
  return upgradesOf(clusterHistory(observations))
}

/** Oldest first, ties by id. */
export function upgradesOf(history: ClusterHistory): readonly UpgradeRecord[] {
  const isPlain = !hasHco(history)
  const drafts = mergeDrafts([
    [
      ...hcoUpgrades(history),
      ...(isPlain ? kubevirtUpgradesByObjects(history) : []),
      ...platformUpgradesByObjects(history),
    ],
    spanUpgrades(history),
    withoutMixed(history, metricDrafts(history)),
  ])
  const records = drafts.map((draft) => withBlock(toRecord(draft, history), history, isOpen(draft)))
  records.sort((a, b) => startOf(a) - startOf(b) || (a.upgrade.id < b.upgrade.id ? -1 : 1))
  return withGateWaits(records, history)
}

/** As metrics look when they are of one cluster. */
function metricDrafts(history: ClusterHistory): readonly UpgradeDraft[] {
  return [
    ...metricUpgrades(history),
    ...(hasHco(history) ? [] : kubevirtUpgradesByMetrics(history)),
    ...platformUpgradesByMetrics(history),
  ]
}

/** An open upgrade with what blocks it, when the evidence shows that. */
function withBlock(record: UpgradeRecord, history: ClusterHistory, isOpen: boolean): UpgradeRecord {
  const blockedBy = isOpen ? blocksOf(history, record)[0] : undefined
  return blockedBy === undefined ? record : { ...record, upgrade: { ...record.upgrade, blockedBy } }
}

function startOf({ upgrade }: UpgradeRecord): number {
  return upgrade.startedMs ?? -Infinity
}

export interface EvidenceReader {
  readonly observations: Pick<ObservationReader, 'read'>
  readonly spans: { upgradeSpans(cluster: string): Promise<readonly Span[]> }
}

/** `members`: the names that are joined into the cluster; absent: none. */
export interface DerivedFacts extends DerivedCluster {
  readonly members?: readonly string[]
}

export async function deriveFrom({ observations, spans }: EvidenceReader, cluster: string): Promise<DerivedFacts> {
  const observed = await observations.read(cluster)
  const { members = [] } = observed
  const sent: SpanEvidence[] = []
  for (const name of [cluster, ...members]) {
    const ofName = spanEvidenceOf(await spans.upgradeSpans(name)).get(name) ?? []
    sent.push(...(name === cluster ? ofName : ofName.map((span) => ({ ...span, cluster }))))
  }
  return { ...deriveCluster({ ...observed, spans: sent }), ...(members.length === 0 ? {} : { members }) }
}
