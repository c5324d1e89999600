/** What blocks the workload update after the control plane is updated. */
import { ownValue } from '../../base/own-value.ts'
import { groupBy } from '../../base/group-by.ts'
import type { Evidence, UpgradeBlock, UpgradeRecord, WorkloadUpdate } from '../../model/upgrade.ts'
import { compareTexts } from '../version-order.ts'
import { endSentence, isOpen, objectEvidence } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { objectsNow } from './present.ts'
import { isPendingTimeout } from './workloads.ts'

/** No update method is configured; or only migration is, and the remaining VMs cannot migrate. */
export function workloadMethodMissing(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { workloads } = record.detail
  const outdated = workloads?.outdatedNow ?? 0
  if (!isOpen(record, 'workloads') || workloads === undefined || outdated === 0) return undefined
  for (const { name, namespace, facts, atMs } of objectsNow(history, 'hyperconvergeds')) {
    const methods = facts.workloadUpdateMethods
    if (methods === undefined) continue
    const ref = `hyperconvergeds/${namespace}/${name}`
    const vms = outdated === 1 ? '1 VM is outdated' : `${outdated} VMs are outdated`
    if (methods.length === 0) {
      const evidence = [objectEvidence(atMs, 'workloadUpdateMethods is empty', ref, 'workloads')]
      const text = `${vms} and no update method is set. Set workloadUpdateMethods in HyperConverged.`
      return { cause: 'workload_method_missing', text, evidence }
    }
    const { pending = 0, running = 0, succeeded = 0, pendingTimeouts = 0 } = workloads.migrations
    const stuck = notMigratable(history)
    const isIdle = pending === 0 && running === 0 && pendingTimeouts === 0 && workloads.isAnySeen !== true
    if (methods.includes('Evict') || !isIdle || (stuck.length === 0 && succeeded === 0)) continue
    // A migration that failed shows that KubeVirt migrates the VMs.
    if (stuck.length === 0 && failuresSinceSuccess(history, workloads).length > 0) continue
    const evidence = [
      ...stuck,
      objectEvidence(
        atMs,
        `workloadUpdateMethods is ${methods.join(', ')} and no migration is pending or running`,
        ref,
        'workloads',
      ),
    ]
    const text = `${vms} and cannot be migrated. Restart the VMs, or add the method Evict.`
    return { cause: 'workload_method_missing', text, evidence }
  }
  return undefined
}

const EVIDENCE_MAX = 5

/** VMIs that report why they cannot migrate; most clusters do not send VMIs. */
function notMigratable(history: ClusterHistory): readonly Evidence[] {
  return objectsNow(history, 'virtualmachineinstances')
    .filter(({ facts }) => facts.isOutdated && facts.isMigratable === false)
    .slice(0, EVIDENCE_MAX)
    .map(({ name, namespace, facts, atMs }) => {
      const text = `VM ${name} cannot migrate (${facts.notMigratableReason ?? 'no reason reported'})`
      return objectEvidence(atMs, text, `virtualmachineinstances/${namespace}/${name}`, 'workloads')
    })
}

interface Failure {
  readonly vmi: string
  readonly ref: string
  readonly reason: string
  readonly atMs: number
  readonly isTimeout: boolean
}

/** Migrations of the workload update that failed after the newest one that succeeded; newest first. */
function failuresSinceSuccess(history: ClusterHistory, { startedMs = -Infinity }: WorkloadUpdate): readonly Failure[] {
  const failures: Failure[] = []
  let succeededMs = -Infinity
  for (const { name, namespace, states } of history.of('virtualmachineinstancemigrations')) {
    const { facts, atMs } = states.at(-1)!
    const endMs = ownValue(facts.phaseTimesMs, facts.phase) ?? facts.endMs ?? atMs
    if (facts.cause !== 'workload_update' || (facts.createdMs ?? atMs) < startedMs) continue
    if (facts.phase === 'Succeeded') succeededMs = Math.max(succeededMs, endMs)
    if (facts.phase !== 'Failed') continue
    const ref = `virtualmachineinstancemigrations/${namespace}/${name}`
    const isTimeout = isPendingTimeout(facts, atMs)
    failures.push({ vmi: facts.vmi, ref, reason: facts.failureReason ?? '', atMs: endMs, isTimeout })
  }
  return failures.filter(({ atMs }) => atMs > succeededMs).sort((a, b) => b.atMs - a.atMs || compareTexts(a.ref, b.ref))
}

function failureEvidence(failures: readonly Failure[]): readonly Evidence[] {
  return failures.slice(0, EVIDENCE_MAX).map(({ vmi, reason, atMs, ref }) => {
    return objectEvidence(
      atMs,
      `migration of ${vmi} failed: ${reason === '' ? 'no reason reported' : reason}`,
      ref,
      'workloads',
    )
  })
}

/** Of one failure nothing follows: KubeVirt tries again. */
const REPEATED = 2

/** Migrations start and fail again and again with one reason, and none has succeeded since. */
export function migrationsFailing(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { workloads } = record.detail
  if (!isOpen(record, 'workloads') || workloads === undefined || workloads.outdatedNow === 0) return undefined
  const failed = failuresSinceSuccess(history, workloads).filter(({ isTimeout }) => !isTimeout)
  const byReason = groupBy(failed, ({ reason }) => withoutNames(reason))
  // The newest failures come first, so of equally frequent reasons the newer one counts.
  const [same = []] = [...byReason.values()].sort((a, b) => b.length - a.length)
  if (same.length < REPEATED) return undefined
  const vms = new Set(same.map(({ vmi }) => vmi)).size
  const reason = same[0]!.reason === '' ? 'They report no reason' : `The reason is: ${same[0]!.reason}`
  return {
    cause: 'migrations_failing',
    text:
      `${same.length} migrations of ${vms === 1 ? '1 VM' : `${vms} VMs`} started and failed with the same reason. ${endSentence(reason)} ` +
      'Fix the reported fault; a restart of a VM also updates the VM.',
    sinceMs: same.at(-1)!.atMs,
    evidence: failureEvidence(same),
  }
}

/** A reason may contain names of pods, addresses and ids of a single migration. */
function withoutNames(reason: string): string {
  return reason.replace(/[\w.:/-]*\d[\w.:/-]*/g, '#')
}

/** Migrations found no node in time, and none is running. */
export function migrationsPending(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { workloads } = record.detail
  if (!isOpen(record, 'workloads') || workloads === undefined || (workloads.outdatedNow ?? 0) === 0) return undefined
  const { pendingTimeouts = 0, running = 0, pending = 0 } = workloads.migrations
  if (pendingTimeouts === 0 || running > 0) return undefined
  const failures = failuresSinceSuccess(history, workloads)
  const timeouts = failures.filter(({ isTimeout }) => isTimeout)
  // Migrations that have started since found a node.
  if (timeouts.length * 2 < failures.length) return undefined
  return {
    cause: 'migrations_pending',
    text:
      `${pendingTimeouts} migrations found no node in time, ${pending} are waiting for one. ` +
      'Add capacity, or correct the node selectors, CPU models and volumes that no other node satisfies.',
    ...(timeouts.length > 0 && { sinceMs: timeouts.at(-1)!.atMs }),
    evidence: failureEvidence(timeouts),
  }
}

/** A migration takes minutes, and KubeVirt aborts one without progress long before this. */
const ENDLESS_MS = 60 * 60_000

/** A migration was running for an hour when the cluster was last seen. */
export function migrationNeverEnds(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const nowMs = history.newestMs
  if (!isOpen(record, 'workloads') || nowMs === undefined) return undefined
  const evidence = objectsNow(history, 'virtualmachineinstancemigrations').flatMap(
    ({ name, namespace, facts, atMs }) => {
      const sinceMs = facts.phaseTimesMs['Running'] ?? facts.startMs ?? atMs
      if (facts.phase !== 'Running' || nowMs - sinceMs < ENDLESS_MS) return []
      const text = `migration of ${facts.vmi} has been running since then`
      return [objectEvidence(sinceMs, text, `virtualmachineinstancemigrations/${namespace}/${name}`, 'workloads')]
    },
  )
  if (evidence.length === 0) return undefined
  const text = `${evidence.length === 1 ? 'A migration' : `${evidence.length} migrations`} ran for an hour without an end.`
  return {
    cause: 'migration_never_ends',
    text,
    sinceMs: Math.min(...evidence.map(({ atMs }) => atMs)),
    evidence: evidence.slice(0, EVIDENCE_MAX),
  }
}
