import type { MigrationFacts } from '../../model/object-facts.ts'
import { conditionsAt } from './conditions.ts'
import { timesOf } from './meta.ts'
import {
  annotationAt,
  at,
  listAt,
  present,
  sortedRecord,
  textAt,
  textOr,
  timeMsAt,
  type ObjectValue,
} from './object-value.ts'

/** VirtualMachineInstanceMigration (kubevirt.io/v1). */
export function migrationFacts(object: ObjectValue): MigrationFacts {
  const state = at(object, 'status', 'migrationState')
  const times = (listAt(object, 'status', 'phaseTransitionTimestamps') ?? []).flatMap((item) => {
    const phase = textAt(item, 'phase')
    const atMs = timeMsAt(item, 'phaseTransitionTimestamp')
    return phase === undefined || atMs === undefined ? [] : [[phase, atMs] as const]
  })
  return present<MigrationFacts>({
    kind: 'virtualmachineinstancemigrations',
    ...timesOf(object),
    vmi: textOr(object, 'spec', 'vmiName'),
    phase: textOr(object, 'status', 'phase'),
    cause: causeOf(object),
    phaseTimesMs: sortedRecord(times),
    startMs: timeMsAt(state, 'startTimestamp'),
    endMs: timeMsAt(state, 'endTimestamp'),
    sourceNode: textAt(state, 'sourceNode'),
    targetNode: textAt(state, 'targetNode'),
    failureReason: textAt(state, 'failureReason'),
    conditions: conditionsAt(object, 'status', 'conditions'),
  })
}

function causeOf(object: ObjectValue): MigrationFacts['cause'] {
  const prefix = textOr(object, 'metadata', 'generateName')
  if (annotationAt(object, 'kubevirt.io/workloadUpdateMigration') !== undefined) return 'workload_update'
  if (annotationAt(object, 'kubevirt.io/evacuationMigration') !== undefined) return 'evacuation'
  if (prefix.startsWith('kubevirt-workload-update-')) return 'workload_update'
  return prefix.startsWith('kubevirt-evacuation-') ? 'evacuation' : 'other'
}
