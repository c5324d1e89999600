/**
 * What the fleet's upgrades have in common: edges, baselines, verdicts, series. In memory on the thread that derives facts,
 * updated with each cluster's facts as they change, read in each evaluation cycle. Holds all upgrades as numbers, and the
 * records of open ones.
 */
import type { DerivedSample } from '../../model/appender.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { ClusterTraits } from '../clusters/cluster-traits.ts'
import { modificationCounts, type ClusterWithCounts } from './derived-clusters.ts'
import { createDerivedSeriesState, derivedSeries, type WrittenSeries } from './derived-series.ts'
import { createEdgeIndex, type EdgeIndex } from '../edges/edge-index.ts'
import type { Gone } from '../clusters/gone.ts'
import { notOffered, takenSteps, type ChannelMember, type NotOffered } from '../edges/not-offered.ts'
import { isOpen, type LastSeen } from '../stuck/stuck.ts'
import { createBaselineIndex } from '../stuck/stuck-baseline.ts'
import { createStuckJudge } from '../stuck/stuck-judge.ts'

export interface FleetInsight {
  /** Replaces the facts of a cluster. */
  put(facts: ClusterFacts): void
  /** The cluster was deleted. */
  remove(cluster: string): void
  /** A cluster was seen, whether or not its facts changed. */
  markSeen(cluster: string, lastSeen: LastSeen): void
  /** Region, provider and environment of clusters, by name; the values of a record take precedence. */
  describe(traits: ReadonlyMap<string, ClusterTraits>): void
  readonly edges: Pick<
    EdgeIndex,
    'edges' | 'edge' | 'compare' | 'lengths' | 'typical' | 'medianRun' | 'prepare' | 'runs' | 'estimateNext' | 'without'
  >
  /**
   * The verdicts on all open upgrades, by cluster.
   * @param lastSeen newer than the facts of the cluster; `undefined` leaves the cluster out
   */
  verdicts(nowMs: number, lastSeen?: (cluster: string) => LastSeen | undefined): readonly StuckVerdict[]
  /** Clusters whose peers were offered a newer version long ago. */
  notOffered(nowMs: number): readonly NotOffered[]
  /** The verdict on one upgrade, by the baselines of all. */
  judge(record: UpgradeRecord, nowMs: number, lastSeen: LastSeen): StuckVerdict
  /** The last series written before the start. */
  restoreSeries(written: readonly WrittenSeries[]): void
  /**
   * The samples to write at a moment, once every `DERIVED_EVERY_MS`.
   * @param gone clusters that are gone: they have no other series than `daytwo_cluster_gone`
   */
  series(verdicts: readonly StuckVerdict[], gone: ReadonlyMap<string, Gone>, nowMs: number): readonly DerivedSample[]
}

interface KnownCluster extends ClusterWithCounts, ChannelMember {
  readonly open: readonly UpgradeRecord[]
}

export function createFleetInsight(): FleetInsight {
  const clusters = new Map<string, KnownCluster>()
  const edges = createEdgeIndex()
  const baselines = createBaselineIndex()
  const judge = createStuckJudge(baselines)
  const written = createDerivedSeriesState()
  const seenMs = new Map<string, number>()
  let traits: ReadonlyMap<string, ClusterTraits> = new Map()
  /** Facts have the last-seen time of a cluster to the hour. */
  const withLastSeen = (known: KnownCluster): KnownCluster => {
    const lastSeenMs = Math.max(known.cluster.lastSeenMs, seenMs.get(known.cluster.cluster) ?? -Infinity)
    return lastSeenMs === known.cluster.lastSeenMs ? known : { ...known, cluster: { ...known.cluster, lastSeenMs } }
  }
  const open = (): readonly UpgradeRecord[] => [...clusters.values()].flatMap((known) => known.open)

  return {
    put: ({ cluster, upgrades, modifications }) => {
      edges.put(cluster.cluster, upgrades)
      baselines.put(cluster.cluster, upgrades)
      clusters.set(cluster.cluster, {
        cluster,
        modifications: modificationCounts(modifications),
        open: upgrades.filter(isOpen),
        steps: takenSteps(upgrades),
      })
    },
    remove: (cluster) => {
      edges.put(cluster, [])
      baselines.put(cluster, [])
      clusters.delete(cluster)
      seenMs.delete(cluster)
    },
    markSeen: (cluster, { metricsMs = -Infinity, objectsMs = -Infinity }) => {
      seenMs.set(cluster, Math.max(seenMs.get(cluster) ?? -Infinity, metricsMs, objectsMs))
    },
    describe: (described) => {
      traits = described
    },
    edges,
    verdicts: (nowMs, lastSeen) => {
      const all: StuckVerdict[] = []
      for (const known of clusters.values()) {
        if (known.open.length === 0) continue
        const when = lastSeen === undefined ? lastSeenOf(known) : lastSeen(known.cluster.cluster)
        if (when === undefined) continue
        for (const record of known.open) all.push(judge(record, nowMs, when))
      }
      return all
    },
    judge,
    restoreSeries: (series) => {
      written.restore(series)
    },
    series: (verdicts, gone, nowMs) => {
      const all = [...clusters.values()].map(withLastSeen)
      const facts = {
        clusters: all
          .filter(({ cluster }) => !gone.has(cluster.cluster))
          .map((known) => ({ ...known, cluster: { ...traits.get(known.cluster.cluster), ...known.cluster } })),
        gone,
        open: open().filter(({ upgrade }) => !gone.has(upgrade.cluster)),
        verdicts,
        edges: edges.finished(),
        // Offers to a cluster that is gone still count for its peers.
        notOffered: notOffered(all, nowMs).filter(({ cluster }) => !gone.has(cluster)),
      }
      return written.next(derivedSeries(facts, nowMs), nowMs)
    },
    notOffered: (nowMs) => notOffered([...clusters.values()].map(withLastSeen), nowMs),
  }
}

/** According to the facts of the cluster. */
function lastSeenOf({ cluster }: KnownCluster): LastSeen {
  const { metricsLastMs, objectsLastMs } = cluster.coverage
  return {
    ...(metricsLastMs === undefined ? {} : { metricsMs: metricsLastMs }),
    ...(objectsLastMs === undefined ? {} : { objectsMs: objectsLastMs }),
  }
}
