/** What blocks the workload update after the control plane is updated. */
import type { Evidence, UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { isOpen, objectEvidence } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { objectsNow } from './present.ts'

/** No update method is configured; or only migration is, and the remaining VMs cannot migrate. */
export function workloadMethodMissing(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { workloads } = record.detail
  const outdated = workloads?.outdatedNow ?? 0
  if (!isOpen(record, 'workloads') || workloads === undefined || outdated === 0) return undefined
  for (const { name, namespace, facts, atMs } of objectsNow(history, 'hyperconvergeds')) {
    const methods = facts.workloadUpdateMethods
    if (methods === undefined) continue
    const ref = `hyperconvergeds/${namespace}/${name}`
    if (methods.length === 0) {
      const evidence = [objectEvidence(atMs, 'workloadUpdateMethods is empty', ref, 'workloads')]
      const text = `${outdated} machines are outdated and no way of moving them is switched on.`
      return { cause: 'workload_method_missing', text, evidence }
    }
    const { pending = 0, running = 0, succeeded = 0, pendingTimeouts = 0 } = workloads.migrations
    const stuck = notMigratable(history)
    const isIdle = pending === 0 && running === 0 && pendingTimeouts === 0
    if (methods.includes('Evict') || !isIdle || (stuck.length === 0 && succeeded === 0)) continue
    const evidence = [
      ...stuck,
      objectEvidence(
        atMs,
        `workloadUpdateMethods is ${methods.join(', ')} and no migration is under way`,
        ref,
        'workloads',
      ),
    ]
    const text = `${outdated} machines are outdated and cannot be migrated.`
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
      const text = `virtual machine ${name} cannot migrate (${facts.notMigratableReason ?? 'no reason said'})`
      return objectEvidence(atMs, text, `virtualmachineinstances/${namespace}/${name}`, 'workloads')
    })
}

/** Migrations found no node in time, and none is running. */
export function migrationsPending(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { workloads } = record.detail
  if (!isOpen(record, 'workloads') || workloads === undefined || (workloads.outdatedNow ?? 0) === 0) return undefined
  const { pendingTimeouts = 0, running = 0, pending = 0 } = workloads.migrations
  if (pendingTimeouts === 0 || running > 0) return undefined
  const fromMs = workloads.startedMs ?? -Infinity
  const failed = history
    .of('virtualmachineinstancemigrations')
    .flatMap(({ name, namespace, states }): readonly Evidence[] => {
      const { facts, atMs } = states.at(-1)!
      if (facts.phase !== 'Failed' || (facts.createdMs ?? atMs) < fromMs) return []
      const text = `migration of ${facts.vmi} failed: ${facts.failureReason ?? 'no reason said'}`
      return [
        objectEvidence(facts.endMs ?? atMs, text, `virtualmachineinstancemigrations/${namespace}/${name}`, 'workloads'),
      ]
    })
  const evidence = failed.toSorted((a, b) => b.atMs - a.atMs).slice(0, EVIDENCE_MAX)
  const text = `${pendingTimeouts} migrations found no node in time, ${pending} wait for one.`
  return {
    cause: 'migrations_pending',
    text,
    ...(evidence.length > 0 && { sinceMs: Math.min(...failed.map(({ atMs }) => atMs)) }),
    evidence,
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
