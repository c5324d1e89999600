/** Verdicts on the rollouts of the fleet: of one version, and of every version that clusters upgraded to lately. */
import type { UpgradeOperator } from '../../model/upgrade.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { RolloutPolicy } from '../../model/rollout-verdict.ts'
import { compareVersions } from '../version-order.ts'
import { DAY_MS } from './blocks.ts'
import { alertChanges, type AlertChange } from './alert-changes.ts'
import { changeOf, type ClusterCounts, type NamedChange } from './cluster-counts.ts'
import {
  clusterCohorts,
  rolloutCohorts,
  stratumOfCluster,
  type BaselineCluster,
  type PhasedRun,
  type RolloutQuery,
  type RunsOfEdge,
} from './cohorts.ts'
import { phaseChanges, type PhaseChange } from './phase-changes.ts'
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
  /** Canary upgrades per day in the last two weeks; since the first one when that is less. */
  readonly canariesPerDay: number
}

/** With what changed by phase and by alert. */
export interface RolloutDetail extends Rollout {
  readonly phases: readonly PhaseChange[]
  readonly alertChanges: readonly AlertChange[]
}

/** Verdicts and the policy that they are made by. */
export interface Rollouts {
  readonly policy: RolloutPolicy
  readonly rollouts: readonly Rollout[]
}

/** What a rollout is judged by. */
export interface RolloutFleet {
  readonly edges: () => Iterable<RunsOfEdge>
  readonly records: readonly ClusterRecord[]
  readonly counts: ClusterCounts
  readonly policy: RolloutPolicy
}

/** A version is rolled out for this long after its last upgrade. */
const ROLLOUT_ENDS_AFTER_MS = 30 * DAY_MS
const RATE_DAYS = 14

export async function rolloutOf(fleet: RolloutFleet, query: RolloutQuery, lookMs: number): Promise<Rollout> {
  return (await judge(fleet, query, lookMs)).rollout
}

export async function rolloutDetailOf(
  fleet: RolloutFleet,
  query: RolloutQuery,
  lookMs: number,
): Promise<RolloutDetail> {
  const { rollout, runs, alerts } = await judge(fleet, query, lookMs)
  return { ...rollout, phases: phaseChanges(runs), alertChanges: alertChanges(alerts) }
}

/** A rollout and what it was judged from. */
interface Judged {
  readonly rollout: Rollout
  readonly runs: readonly PhasedRun[]
  readonly alerts: readonly NamedChange[]
}

async function judge(
  { edges, records, counts, policy }: RolloutFleet,
  query: RolloutQuery,
  lookMs: number,
): Promise<Judged> {
  const known = new Map(records.map((record) => [record.cluster, record]))
  const { runs, leftOut } = rolloutCohorts(edges(), query, (cluster) => known.get(cluster), policy)
  const canaries = runs.filter(({ isCanary }) => isCanary)
  const beside = clusterCohorts(canaries, baselineClusters(records, edges(), policy), policy)
  const isOn = (signal: RolloutPolicy['signals'][number]): boolean => policy.signals.includes(signal)
  const alerts = isOn('alerts') ? await counts.alerts(beside, policy, lookMs) : []
  const modifications = isOn('modifications') ? await counts.modifications(beside, policy, lookMs) : []
  const evidence = { runs, alerts: alerts.map(changeOf), modifications: modifications.map(changeOf) }
  const firstMs = canaries.reduce((first, { startedMs }) => Math.min(first, startedMs), Infinity)
  const lately = canaries.filter(({ startedMs }) => startedMs > lookMs - RATE_DAYS * DAY_MS).length
  const days = Math.max(1, Math.min(RATE_DAYS, (lookMs - firstMs) / DAY_MS))
  const rollout = {
    operator: query.operator,
    version: query.version,
    ...(canaries.length === 0 ? {} : { firstMs }),
    clusters: new Set(canaries.map(({ cluster }) => cluster)).size,
    leftOut,
    verdict: rolloutVerdict(evidence, policy, lookMs),
    canariesPerDay: lately === 0 ? 0 : lately / days,
  }
  return { rollout, runs, alerts }
}

/** Of one operator. */
export const ROLLOUTS_MAX = 50

/** Versions to which a cluster started to upgrade in the last month; the newest version first, at most `ROLLOUTS_MAX`. */
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
  return [...found].sort((a, b) => compareVersions(b, a)).slice(0, ROLLOUTS_MAX)
}

function baselineClusters(
  records: readonly ClusterRecord[],
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
  return records.map((record) => ({
    cluster: record.cluster,
    stratum: stratumOfCluster(record, strata),
    upgradedMs: upgraded.get(record.cluster) ?? [],
  }))
}
