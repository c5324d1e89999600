/** The states of a cluster at a moment: upgrading, stuck, silent, ... A cluster may have several. Pure. */
import {
  CLUSTER_STATES,
  type ClusterProblem,
  type ClusterRecord,
  type ClusterState,
} from '../../model/cluster-record.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { LastSeen } from '../stuck/stuck.ts'

/** An upgrade in progress, or with VMs left to update, and the verdict on it. */
export interface OpenUpgrade {
  readonly record: UpgradeRecord
  readonly verdict: StuckVerdict
}

/** A cluster that is gone has no other state. */
export const GONE_STATES: readonly ClusterState[] = ['gone']

/** A cluster is silent when none of its sources sent anything for longer than this. */
export const SILENT_AFTER = {
  // Two pushes of telemetry (4 min 30 s apart) and a margin: one lost push does not make a cluster silent.
  metricsMs: 10 * 60_000,
  // A watch reports only changes; the edge kit lists objects every 30 min, which shows that an idle cluster is alive.
  objectsMs: 65 * 60_000,
} as const

const OTHER_STATES = CLUSTER_STATES.filter((state) => state !== 'steady' && state !== 'gone')

/** How long a problem lasts before it counts: a drained node or a new setting makes each of them for a while. */
const PROBLEM_AFTER_MS: Readonly<Record<ClusterProblem['cause'], number>> = {
  // As OLM's alert on a failed CSV.
  csv_unhealthy: 2 * 60_000,
  hyperconverged_unhealthy: 5 * 60_000,
  virt_handler_outdated: 15 * 60_000,
  // OLM resolves again when a catalog is back.
  cannot_plan: 15 * 60_000,
  identity_conflict: 0,
}

/** States of their own; any other problem makes a cluster unhealthy. */
const STATE_PROBLEMS = ['cannot_plan', 'identity_conflict'] as const

/** What the verdict on an open upgrade of the operators covers. */
const JUDGED_WITH_UPGRADE: ReadonlySet<ClusterProblem['cause']> = new Set([
  'hyperconverged_unhealthy',
  'virt_handler_outdated',
])

/** The problems that count at a time. */
export function problemsAt(
  { problems = [] }: ClusterRecord,
  open: readonly OpenUpgrade[],
  nowMs: number,
): readonly ClusterProblem[] {
  const isUpgrading = open.some(({ record: { upgrade } }) => {
    return upgrade.state === 'in_progress' && upgrade.operator !== 'openshift'
  })
  return problems.filter(({ cause, sinceMs }) => {
    return nowMs - sinceMs > PROBLEM_AFTER_MS[cause] && !(isUpgrading && JUDGED_WITH_UPGRADE.has(cause))
  })
}

/** The states of a cluster that is not gone. */
export function statesOf(
  record: ClusterRecord,
  open: readonly OpenUpgrade[],
  isClusterSilent: boolean,
  nowMs: number,
): readonly ClusterState[] {
  const problems = problemsAt(record, open, nowMs)
  const holds: Readonly<Record<(typeof OTHER_STATES)[number], boolean>> = {
    upgrading: open.some(({ record }) => upgradeStage(record) === 'upgrading'),
    stuck: open.some(({ verdict }) => verdict.isStuck),
    silent: isClusterSilent,
    unhealthy:
      record.systemHealth === 'error' || problems.some(({ cause }) => !STATE_PROBLEMS.some((one) => one === cause)),
    cannot_plan: problems.some(({ cause }) => cause === 'cannot_plan'),
    identity_conflict: problems.some(({ cause }) => cause === 'identity_conflict'),
    tainted: record.isTainted === true,
    outdated_workloads: (record.workloads?.outdated ?? 0) > 0,
    paused_pool: record.pools.some(({ isPaused }) => isPaused),
    unknown: isUnknown(record),
  }
  const states = OTHER_STATES.filter((state) => holds[state])
  return states.length === 0 ? ['steady'] : states
}

/** No source sent anything for longer than `SILENT_AFTER`. */
export function isSilent(lastSeen: LastSeen, nowMs: number): boolean {
  return nowMs > notSilentUntilMs(lastSeen)
}

/**
 * The last moment at which the cluster is not yet silent, unless it is seen again. If both sources stopped at the same time,
 * metrics decide: objects count as a heartbeat only if they continue after the metrics stopped.
 */
export function notSilentUntilMs({ metricsMs = -Infinity, objectsMs = -Infinity }: LastSeen): number {
  if (Number.isFinite(metricsMs) && objectsMs - metricsMs <= SILENT_AFTER.metricsMs) {
    return Math.max(metricsMs, objectsMs) + SILENT_AFTER.metricsMs
  }
  return Math.max(metricsMs + SILENT_AFTER.metricsMs, objectsMs + SILENT_AFTER.objectsMs)
}

/** The cluster reports no version of any operator. */
export function isUnknown({ hcoVersion, versions }: ClusterRecord): boolean {
  return hcoVersion === undefined && Object.keys(versions).length === 0
}

/** Pending approval; control plane in progress; or workload update in progress. */
export type UpgradeStage = 'waiting' | 'upgrading' | 'following'

export function upgradeStage({ upgrade }: Pick<UpgradeRecord, 'upgrade'>): UpgradeStage {
  if (upgrade.state !== 'in_progress') return 'following'
  const isOpen = upgrade.phases.some(({ name, state }) => name === 'approval' && state === 'in_progress')
  return isOpen && upgrade.startedMs === undefined ? 'waiting' : 'upgrading'
}
