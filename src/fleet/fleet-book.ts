/**
 * The fleet's facts at hand, on the thread that derives them: its clusters, its edges, and what is to be thought of each
 * open upgrade. Fed with a cluster's facts whenever they are derived anew; answers what the API asks.
 */
import type { ClusterRecord } from '../model/cluster-record.ts'
import type { ClusterFacts } from '../model/fleet-facts.ts'
import type { StuckVerdict } from '../model/stuck.ts'
import type { UpgradeRecord } from '../model/upgrade.ts'
import { createClusterBook } from './cluster-book.ts'
import type { ClusterPage, ClusterQuery, ClusterView, VerdictOf } from './cluster-book.ts'
import { fallingEdges } from './falling-edges.ts'
import type { FallingEdge } from './falling-edges.ts'
import type { FleetCoverage, HeardCluster } from './fleet-coverage.ts'
import type { ClusterTraits } from './cluster-traits.ts'
import type { OpenUpgrade } from './cluster-states.ts'
import { createFleetInsight } from './insight.ts'
import type { FleetInsight } from './insight.ts'
import { settledMs } from './record-at.ts'
import type { Heard } from './stuck.ts'

export interface FleetBook {
  /** Replaces what is known of a cluster. */
  put(facts: ClusterFacts): void
  /** The cluster is no more. */
  remove(cluster: string): void
  /** Something was heard of a cluster, whether or not it changed what is known of it. */
  hear(cluster: string, heard: Heard): void
  /** Where clusters stand, by name. */
  describe(traits: ReadonlyMap<string, ClusterTraits>): void
  readonly insight: FleetInsight
  verdicts(nowMs: number): readonly StuckVerdict[]
  clusters(query: ClusterQuery, nowMs: number): ClusterPage
  /** By name, or by another name it goes by. */
  cluster(name: string, nowMs: number): ClusterView | undefined
  coverage(nowMs: number): FleetCoverage
  /** All records, last seen when anything was last heard of the cluster. */
  records(): readonly ClusterRecord[]
  /** All clusters, and those that are only heard of. */
  standing(): Iterable<HeardCluster>
  /** Edges on which fewer upgrades succeed lately, as of the last minute. */
  fallingEdges(nowMs: number): readonly FallingEdge[]
  /** Upgrades that run or whose machines still follow, by cluster and id. */
  open(nowMs: number): readonly OpenUpgrade[]
  /** From when on all upgrades of a cluster are what they are now: see `settledMs` of one. */
  settledMs(cluster: string): number
  /** `undefined`: it is over. */
  judge(upgradeId: string, nowMs: number): StuckVerdict | undefined
}

/** Reading every run of a large fleet takes a while, and a fortnight moves slowly. */
const FALLS_KNOWN_MS = 60_000

export function createFleetBook(): FleetBook {
  const clusters = createClusterBook()
  const insight = createFleetInsight()
  const settled = new Map<string, number>()
  let falls: { readonly atMs: number; readonly edges: readonly FallingEdge[] } | undefined
  const verdicts = (nowMs: number): readonly StuckVerdict[] =>
    insight.verdicts(nowMs, (cluster) => clusters.heard(cluster))
  /** Of one page's open upgrades, each once, however often it is asked. */
  const verdictAt = (nowMs: number): VerdictOf => {
    const known = new Map<UpgradeRecord, StuckVerdict>()
    return (record) => {
      let verdict = known.get(record)
      if (verdict === undefined) {
        verdict = insight.judge(record, nowMs, clusters.heard(record.upgrade.cluster))
        known.set(record, verdict)
      }
      return verdict
    }
  }

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
    },
    hear: (cluster, heard) => {
      clusters.hear(cluster, heard)
      insight.hear(cluster, heard)
    },
    describe: (traits) => {
      clusters.describe(traits)
    },
    insight,
    verdicts,
    clusters: (query, nowMs) => clusters.list(query, verdictAt(nowMs), nowMs),
    cluster: (name, nowMs) => clusters.find(name, verdictAt(nowMs), nowMs),
    coverage: (nowMs) => clusters.coverage(nowMs),
    records: () => clusters.records(),
    standing: () => clusters.standing(),
    fallingEdges: (nowMs) => {
      if (falls === undefined || Math.abs(nowMs - falls.atMs) >= FALLS_KNOWN_MS) {
        falls = { atMs: nowMs, edges: fallingEdges(insight.edges.runs(), nowMs) }
      }
      return falls.edges
    },
    open: (nowMs) => {
      const verdictOf = verdictAt(nowMs)
      return clusters
        .open()
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
