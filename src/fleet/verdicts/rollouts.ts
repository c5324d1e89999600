/** Verdicts on the rollouts of the fleet: of one version, and of every version that clusters upgraded to lately. */
import type { UpgradeOperator } from '../../model/upgrade.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { RolloutPolicy } from '../../model/rollout-verdict.ts'
import { compareVersions } from '../version-order.ts'
import type { ClusterCounts } from './cluster-counts.ts'
import {
  clusterCohorts,
  rolloutCohorts,
  stratumOfCluster,
  type BaselineCluster,
  type RolloutQuery,
  type RunsOfEdge,
} from './cohorts.ts'
import { rolloutVerdict, type RolloutVerdict } from './verdict.ts'

export interface Rollout {
  readonly operator: UpgradeOperator
  readonly version: string
  /** Of the first canary upgrade. */
  readonly firstMs?: number
  /** Clusters that upgraded to the version, or do now, and upgrades that are in no group. */
  readonly clusters: number
  readonly leftOut: number
  readonly verdict: RolloutVerdict
  /** Canary upgrades per day since the first one; what `canariesNeeded` takes at this rate follows. */
  readonly canariesPerDay: number
}

/** What a rollout is judged by. */
export interface RolloutFleet {
  readonly edges: () => Iterable<RunsOfEdge>
  readonly records: () => Iterable<ClusterRecord>
  readonly counts: ClusterCounts
}

/** A version is rolled out for this long after its last upgrade. */
const ROLLOUT_ENDS_AFTER_MS = 30 * 86_400_000

export async function rolloutOf(
  { edges, records, counts }: RolloutFleet,
  query: RolloutQuery,
  policy: RolloutPolicy,
  lookMs: number,
): Promise<Rollout> {
  const known = new Map(Array.from(records(), (record) => [record.cluster, record]))
  const { runs, leftOut } = rolloutCohorts(edges(), query, (cluster) => known.get(cluster), policy)
  const canaries = runs.filter(({ isCanary }) => isCanary)
  const beside = clusterCohorts(canaries, baselineClusters(known, edges(), policy), policy)
  const isAsked = (signal: RolloutPolicy['signals'][number]): boolean => policy.signals.includes(signal)
  const evidence = {
    runs,
    alerts: isAsked('alerts') ? await counts.alerts(beside, lookMs) : [],
    modifications: isAsked('modifications') ? await counts.modifications(beside, lookMs) : [],
  }
  const firstMs = Math.min(...canaries.map(({ startedMs }) => startedMs))
  const days = Math.max(1, (lookMs - firstMs) / 86_400_000)
  return {
    operator: query.operator,
    version: query.version,
    ...(canaries.length === 0 ? {} : { firstMs }),
    clusters: new Set(canaries.map(({ cluster }) => cluster)).size,
    leftOut,
    verdict: rolloutVerdict(evidence, policy, lookMs),
    canariesPerDay: canaries.length === 0 ? 0 : canaries.length / days,
  }
}

/** Versions to which a cluster started to upgrade in the last month; the newest version first. */
export function versionsRollingOut(
  edges: Iterable<RunsOfEdge>,
  operator: UpgradeOperator,
  lookMs: number,
): readonly string[] {
  const found = new Set<string>()
  for (const { name, byCluster } of edges) {
    if (name.operator !== operator || found.has(name.to)) continue
    for (const runs of byCluster.values()) {
      if (runs.some(({ startedMs = -Infinity }) => startedMs > lookMs - ROLLOUT_ENDS_AFTER_MS)) found.add(name.to)
    }
  }
  return [...found].sort((a, b) => compareVersions(b, a))
}

function baselineClusters(
  records: ReadonlyMap<string, ClusterRecord>,
  edges: Iterable<RunsOfEdge>,
  { strata }: Pick<RolloutPolicy, 'strata'>,
): readonly BaselineCluster[] {
  const upgraded = new Map<string, number[]>()
  for (const { byCluster } of edges) {
    for (const [cluster, runs] of byCluster) {
      const starts = upgraded.get(cluster) ?? []
      upgraded.set(cluster, starts)
      for (const { begunMs, startedMs = begunMs } of runs) starts.push(startedMs)
    }
  }
  return Array.from(records.values(), (record) => ({
    cluster: record.cluster,
    stratum: stratumOfCluster(record, strata),
    upgradedMs: upgraded.get(record.cluster) ?? [],
  }))
}
