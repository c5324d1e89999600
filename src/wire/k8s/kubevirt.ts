import type {
  DataImportCronFacts,
  KubeDeschedulerFacts,
  MigrationFacts,
  OperandFacts,
  VirtualMachineInstanceFacts,
} from '../../model/object-facts.ts'
import { conditionsAt, factsOf } from './facts-of.ts'
import {
  annotationAt,
  at,
  booleanAt,
  integerAt,
  labelAt,
  listAt,
  sortedRecord,
  textAt,
  textOr,
  textsAt,
  timeMsAt,
  type ObjectValue,
} from './object-value.ts'

/** KubeVirt's objects, those of HCO's operands, and of what they use beside. */

/**
 * The CRs of HCO's operands. KubeVirt has its own field names for versions; the others share those of their common SDK.
 */
export function operandFacts(kind: OperandFacts['kind']): (object: ObjectValue) => OperandFacts {
  const isKubeVirt = kind === 'kubevirts'
  return (object) =>
    factsOf<OperandFacts>(kind, object, {
      phase: textAt(object, 'status', 'phase'),
      operatorVersion: textAt(object, 'status', 'operatorVersion'),
      targetVersion: textAt(object, 'status', isKubeVirt ? 'targetKubeVirtVersion' : 'targetVersion'),
      observedVersion: textAt(object, 'status', isKubeVirt ? 'observedKubeVirtVersion' : 'observedVersion'),
      targetDeploymentId: textAt(object, 'status', 'targetDeploymentID'),
      observedDeploymentId: textAt(object, 'status', 'observedDeploymentID'),
      outdatedWorkloads: integerAt(object, 'status', 'outdatedVirtualMachineInstanceWorkloads'),
      conditions: conditionsAt(object, 'status', 'conditions'),
      generation: integerAt(object, 'metadata', 'generation'),
    })
}

/** VirtualMachineInstanceMigration (kubevirt.io/v1). */
export function migrationFacts(object: ObjectValue): MigrationFacts {
  const state = at(object, 'status', 'migrationState')
  const times = (listAt(object, 'status', 'phaseTransitionTimestamps') ?? []).flatMap((item) => {
    const phase = textAt(item, 'phase')
    const atMs = timeMsAt(item, 'phaseTransitionTimestamp')
    return phase === undefined || atMs === undefined ? [] : [[phase, atMs] as const]
  })
  return factsOf<MigrationFacts>('virtualmachineinstancemigrations', object, {
    vmi: textOr(object, 'spec', 'vmiName'),
    phase: textOr(object, 'status', 'phase'),
    cause: causeOf(object),
    phaseTimesMs: sortedRecord(times),
    startMs: timeMsAt(state, 'startTimestamp'),
    endMs: timeMsAt(state, 'endTimestamp'),
    sourceNode: textAt(state, 'sourceNode'),
    targetNode: textAt(state, 'targetNode'),
    failureReason: textAt(state, 'failureReason') ?? textAt(object, 'status', 'failureReason'),
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

/** VirtualMachineInstance (kubevirt.io/v1), as far as upgrades and adoption read it. */
export function virtualMachineInstanceFacts(object: ObjectValue): VirtualMachineInstanceFacts {
  const migratable = conditionsAt(object, 'status', 'conditions').find(({ type }) => type === 'LiveMigratable')
  const named = (name: string): string | undefined =>
    annotationAt(object, `kubevirt.io/${name}`) ?? labelAt(object, `kubevirt.io/${name}`)
  const isMigratable = migratable === undefined ? undefined : migratable.status === 'True'
  return factsOf<VirtualMachineInstanceFacts>('virtualmachineinstances', object, {
    phase: textOr(object, 'status', 'phase'),
    isOutdated: labelAt(object, 'kubevirt.io/outdatedLauncherImage') !== undefined,
    launcherImage: textAt(object, 'status', 'launcherContainerImageVersion'),
    isMigratable,
    notMigratableReason: isMigratable === false ? migratable?.reason : undefined,
    evictionStrategy: textAt(object, 'spec', 'evictionStrategy'),
    instanceType: named('cluster-instancetype-name') ?? named('instancetype-name'),
    preference: named('cluster-preference-name') ?? named('preference-name'),
    nodeName: textAt(object, 'status', 'nodeName'),
    machineType: textAt(object, 'status', 'machine', 'type') ?? textAt(object, 'spec', 'domain', 'machine', 'type'),
  })
}

/** DataImportCron (cdi.kubevirt.io/v1beta1): keeps one golden image up to date. */
export function dataImportCronFacts(object: ObjectValue): DataImportCronFacts {
  return factsOf<DataImportCronFacts>('dataimportcrons', object, {
    managedDataSource: textOr(object, 'spec', 'managedDataSource'),
    conditions: conditionsAt(object, 'status', 'conditions'),
    lastImportMs: timeMsAt(object, 'status', 'lastImportTimestamp'),
    schedule: textAt(object, 'spec', 'schedule'),
  })
}

export function kubeDeschedulerFacts(object: ObjectValue): KubeDeschedulerFacts {
  return factsOf<KubeDeschedulerFacts>('kubedeschedulers', object, {
    profiles: textsAt(object, 'spec', 'profiles') ?? [],
    evictsInBackground: booleanAt(object, 'spec', 'profileCustomizations', 'devEnableEvictionsInBackground'),
    generation: integerAt(object, 'metadata', 'generation'),
  })
}
