import type { MigrationFacts } from '../../../src/model/object-facts.ts'
import type { ClusterHistory, MigrationLife } from '../cluster-history.ts'
import { finite, type SimObject } from './sim-object.ts'

/** Migration objects. KubeVirt keeps the newest five that are over of each machine; nobody waits for the older ones to go. */
export function migrationObjects(history: ClusterHistory): readonly SimObject[] {
  return history.upgrades.flatMap(({ workloads }) =>
    (workloads?.migrations ?? []).map((migration) => migrationObject(history, migration)),
  )
}

function migrationObject(history: ClusterHistory, migration: MigrationLife): SimObject {
  const { profile } = history
  const { uid, vmi, createdMs, schedulingMs, runningMs, endMs, hasSucceeded, cause } = migration
  const { failureReason = 'target pod was not scheduled within 5 minutes' } = migration
  const ended = hasSucceeded ? 'Succeeded' : 'Failed'
  const nodes = profile.nodes
  return {
    uid,
    name: `${cause === 'evacuation' ? 'kubevirt-evacuation' : 'kubevirt-workload-update'}-${uid.slice(0, 5)}`,
    namespace: 'tenants',
    createdMs,
    goneMs: Infinity,
    momentsMs: finite([schedulingMs, runningMs, endMs]),
    factsAt(timeMs): MigrationFacts {
      const times = [
        ['Pending', createdMs],
        ['Scheduling', schedulingMs],
        ['Running', runningMs],
        [ended, endMs],
      ] as const
      const past = times.filter(([, atMs]) => atMs <= timeMs)
      const isOver = timeMs >= endMs
      return {
        kind: 'virtualmachineinstancemigrations',
        createdMs,
        vmi,
        phase: past.at(-1)?.[0] ?? 'Pending',
        cause,
        phaseTimesMs: Object.fromEntries(past),
        ...(timeMs >= runningMs ? { startMs: runningMs } : {}),
        ...(isOver ? { endMs } : {}),
        ...(timeMs >= runningMs ? { sourceNode: nodes[0]!, targetNode: nodes.at(-1)! } : {}),
        ...(isOver && !hasSucceeded ? { failureReason } : {}),
        conditions: [],
      }
    },
  }
}
