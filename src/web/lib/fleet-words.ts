import type { ClusterState } from '../../model/cluster-record.ts'
import type { PhaseState, UpgradeState } from '../../model/upgrade.ts'

/** What states and causes are called where people read. Pure. */

export const CLUSTER_STATE_WORDS: Readonly<Record<ClusterState, string>> = {
  upgrading: 'upgrading',
  stuck: 'stuck',
  silent: 'silent',
  unhealthy: 'unhealthy',
  tainted: 'tainted',
  outdated_workloads: 'outdated VMs',
  paused_pool: 'paused pool',
  unknown: 'unknown',
  steady: 'steady',
  gone: 'gone',
}

/** What each says, for those who meet the word first. */
export const CLUSTER_STATE_MEANINGS: Readonly<Record<ClusterState, string>> = {
  upgrading: 'An operator or the platform is between two versions.',
  stuck: 'An upgrade got no further for longer than its phase takes elsewhere.',
  silent: 'Nothing came from it for longer than its ways allow.',
  unhealthy: 'HyperConverged says that the system is in error.',
  tainted: 'Something is changed past the API, so support and upgrades may not know it.',
  outdated_workloads: 'Virtual machines still run on the launcher of an older version.',
  paused_pool: 'A machine config pool is paused: its nodes take no update.',
  unknown: 'It is heard of, and no version of any operator is told.',
  steady: 'It is heard of, and none of the others holds.',
  gone: 'It was switched off for good: somebody said so, or nothing was heard of it for a long time.',
}

export const UPGRADE_STATE_WORDS: Readonly<Record<UpgradeState, string>> = {
  in_progress: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  superseded: 'superseded',
  rolled_back: 'rolled back',
  unknown: 'not known',
}

export const PHASE_STATE_WORDS: Readonly<Record<PhaseState, string>> = {
  pending: 'not begun',
  in_progress: 'running',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'not needed',
  unknown: 'not known',
}

const CAUSES: Readonly<Record<string, string>> = {
  approval_waiting: 'Waits for approval',
  no_update_offered: 'No update is offered',
  resolution_failed: 'OLM cannot resolve',
  requirements_not_met: 'Requirements are not met',
  not_upgradeable: 'Not upgradeable',
  install_failing: 'The installation fails',
  virt_handler_rollout: 'virt-handler does not roll out',
  operand_failing: 'An operand fails',
  reconcile_error: 'HyperConverged cannot reconcile',
  workload_method_missing: 'No way to update machines is set',
  migrations_pending: 'Migrations wait',
  migration_never_ends: 'A migration does not end',
  node_drain_blocked: 'A node cannot be drained',
  unknown: 'Cause unknown',
}

export function causeName(cause: string): string {
  return CAUSES[cause] ?? cause
}
