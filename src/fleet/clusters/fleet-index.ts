/**
 * The in-memory index of the fleet, on the thread that derives facts: clusters, edges, and the verdict on each open upgrade.
 * The derivation puts a cluster's facts whenever they change; the API queries the index.
 */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import {
  createClusterIndex,
  type ClusterPage,
  type ClusterQuery,
  type ClusterView,
  type VerdictOf,
} from './cluster-index.ts'
import type { ReturnedCluster } from './decommissions.ts'
import { fallingEdges, type FallingEdge } from '../edges/falling-edges.ts'
import type { FleetCoverage, SeenCluster } from './fleet-coverage.ts'
import type { ClusterTraits } from './cluster-traits.ts'
import type { OpenUpgrade } from './cluster-states.ts'
import { verdictOfGone, type Gone } from './gone.ts'
import { createFleetInsight, type FleetInsight } from '../series/insight.ts'
import type { NotOffered } from '../edges/not-offered.ts'
import { settledMs } from '../past/record-at.ts'
import type { LastSeen } from '../stuck/stuck.ts'

/** A cluster by its name, and when it was last seen. */
export interface LastReport {
  readonly cluster: string
  readonly lastSeenMs?: number
}

export interface FleetIndex {
  /** Replaces what is known of a cluster. */
  put(facts: ClusterFacts): void
  /** The cluster was deleted. */
  remove(cluster: string): void
  /** A cluster was seen, whether or not its facts changed. */
  markSeen(cluster: string, lastSeen: LastSeen): void
  /** Region, provider and environment of clusters, by name. */
  describe(traits: ReadonlyMap<string, ClusterTraits>): void
  /** Replaces all declared decommissions, in the order in which they were declared. */
  declare(all: readonly Decommission[]): void
  /** All declared decommissions. */
  decommissions(): readonly Decommission[]
  /** A cluster that was not seen for longer is gone. */
  readonly goneAfterMs: number
  /** Clusters that were declared decommissioned and were seen again. */
  returned(): readonly ReturnedCluster[]
  gone(nowMs: number): ReadonlyMap<string, Gone>
  /** `undefined`: the cluster is not gone, or unknown. */
  goneAt(cluster: string, atMs: number): Gone | undefined
  readonly insight: FleetInsight
  /** The verdicts on all open upgrades of clusters that are not gone. */
  verdicts(nowMs: number): readonly StuckVerdict[]
  clusters(query: ClusterQuery, nowMs: number): ClusterPage
  /** By name or alias. */
  cluster(name: string, nowMs: number): ClusterView | undefined
  coverage(nowMs: number): FleetCoverage
  /** All records, with the time at which each cluster was last seen. */
  records(): readonly ClusterRecord[]
  /** By name or alias; also of a cluster with samples and no record. */
  lastReportOf(name: string): LastReport | undefined
  /** All clusters, including clusters with samples and no record. */
  known(): Iterable<SeenCluster>
  /** The known clusters that are not gone. */
  active(nowMs: number): Iterable<SeenCluster>
  /** Clusters that are not gone and whose peers were offered a newer version long ago. */
  notOffered(nowMs: number): readonly NotOffered[]
  /** Edges on which fewer upgrades succeed lately, as of the last minute. */
  fallingEdges(nowMs: number): readonly FallingEdge[]
  /** Upgrades in progress, and finished ones with VMs left to update, on clusters that are not gone; by cluster and id. */
  open(nowMs: number): readonly OpenUpgrade[]
  /** The time from which on no upgrade of the cluster has changed: see `settledMs` of one upgrade. */
  settledMs(cluster: string): number
  /** `undefined`: the upgrade is not open. */
  judge(upgradeId: string, nowMs: number): StuckVerdict | undefined
}

/** Reading every run of a large fleet takes a while, and a window of two weeks changes slowly. */
const FALLS_CACHED_MS = 60_000

/** @param goneAfterMs a cluster that was not seen for longer is gone */
export function createFleetIndex(goneAfterMs = Infinity): FleetIndex {
  const clusters = createClusterIndex(goneAfterMs)
  let decommissions: readonly Decommission[] = []
  const insight = createFleetInsight()
  const settled = new Map<string, number>()
  const traits = new Map<string, ClusterTraits>()
  let falls: { readonly atMs: number; readonly edges: readonly FallingEdge[] } | undefined
  const isHere = (cluster: string, nowMs: number): boolean => clusters.goneAt(cluster, nowMs) === undefined
  /** Judges each open upgrade of one answer once. */
  const verdictAt = (nowMs: number): VerdictOf => {
    const known = new Map<UpgradeRecord, StuckVerdict>()
    return (record) => {
      let verdict = known.get(record)
      if (verdict === undefined) {
        const { cluster } = record.upgrade
        const judged = insight.judge(record, nowMs, clusters.lastSeen(cluster))
        verdict = isHere(cluster, nowMs) ? judged : verdictOfGone(judged)
        known.set(record, verdict)
      }
      return verdict
    }
  }

  const openHere = (nowMs: number): readonly UpgradeRecord[] =>
    clusters.open().filter(({ upgrade }) => isHere(upgrade.cluster, nowMs))

  return {
    put: (facts) => {
      clusters.put(facts.cluster, facts.upgrades)
      insight.put(facts)
      settled.set(facts.cluster.cluster, Math.max(-Infinity, ...facts.upgrades.map(settledMs)))
    },
    remove: (cluster) => {
      clusters.remove(cluster)
      insight.remove(cluster)
      settled.delete(cluster)
      traits.delete(cluster)
    },
    markSeen: (cluster, lastSeen) => {
      clusters.markSeen(cluster, lastSeen)
      insight.markSeen(cluster, lastSeen)
    },
    describe: (described) => {
      // A silent cluster has no current labels: its last traits stay.
      for (const [cluster, of] of described) traits.set(cluster, of)
      clusters.describe(traits)
      insight.describe(traits)
    },
    declare: (all) => {
      decommissions = all
      clusters.declare(all)
    },
    decommissions: () => decommissions,
    goneAfterMs,
    returned: () => clusters.returned(),
    gone: (nowMs) => clusters.gone(nowMs),
    goneAt: (cluster, atMs) => clusters.goneAt(cluster, atMs),
    insight,
    verdicts: (nowMs) =>
      insight.verdicts(nowMs, (cluster) => (isHere(cluster, nowMs) ? clusters.lastSeen(cluster) : undefined)),
    clusters: (query, nowMs) => clusters.list(query, verdictAt(nowMs), nowMs),
    cluster: (name, nowMs) => clusters.find(name, verdictAt(nowMs), nowMs),
    coverage: (nowMs) => clusters.coverage(nowMs),
    records: () => clusters.records(),
    lastReportOf: (name) => clusters.lastReportOf(name),
    known: () => clusters.known(),
    active: (nowMs) => clusters.active(nowMs),
    notOffered: (nowMs) => insight.notOffered(nowMs).filter(({ cluster }) => isHere(cluster, nowMs)),
    fallingEdges: (nowMs) => {
      if (falls === undefined || Math.abs(nowMs - falls.atMs) >= FALLS_CACHED_MS) {
        falls = { atMs: nowMs, edges: fallingEdges(insight.edges.runs(), nowMs) }
      }
      return falls.edges
    },
    open: (nowMs) => {
      const verdictOf = verdictAt(nowMs)
      return openHere(nowMs)
        .map((record) => ({ record, verdict: verdictOf(record) }))
        .sort((a, b) => compareRecords(a.record, b.record))
    },
    settledMs: (cluster) => settled.get(cluster) ?? -Infinity,
    judge: (upgradeId, nowMs) => {
      const record = clusters.open().find(({ upgrade }) => upgrade.id === upgradeId)
      return record && verdictAt(nowMs)(record)
    },
  }
}

function compareRecords({ upgrade: a }: UpgradeRecord, { upgrade: b }: UpgradeRecord): number {
  if (a.cluster !== b.cluster) return a.cluster < b.cluster ? -1 : 1
  return a.id < b.id ? -1 : 1
}
