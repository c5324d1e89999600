import type { ObjectFacts, ObjectKind } from '../../model/object-facts.ts'
import { hyperConvergedFacts } from './hyperconverged.ts'
import {
  daemonSetFacts,
  eventFacts,
  isEventOfInterest,
  isVirtHandler,
  nodeFacts,
  storageClassFacts,
} from './kubernetes.ts'
import {
  dataImportCronFacts,
  kubeDeschedulerFacts,
  migrationFacts,
  operandFacts,
  virtualMachineInstanceFacts,
} from './kubevirt.ts'
import type { ObjectValue } from './object-value.ts'
import {
  catalogSourceFacts,
  csvFacts,
  installPlanFacts,
  isCopiedCsv,
  operatorConditionFacts,
  operatorGroupFacts,
  subscriptionFacts,
} from './olm.ts'
import {
  apiRequestCountFacts,
  clusterOperatorFacts,
  clusterVersionFacts,
  isApiThatStays,
  machineConfigPoolFacts,
} from './openshift.ts'

/** How a watched kind is read. */
interface KindReader {
  /** As the object calls its kind itself. */
  readonly kind: string
  readonly facts: (object: ObjectValue) => ObjectFacts
  /** Objects of the kind to ignore; absent: none. */
  readonly isIgnored?: (object: ObjectValue) => boolean
}

/** By the plural of the resource, as in `k8s.resource.name`. */
export const KINDS: Readonly<Record<ObjectKind, KindReader>> = {
  clusterserviceversions: { kind: 'ClusterServiceVersion', facts: csvFacts, isIgnored: isCopiedCsv },
  subscriptions: { kind: 'Subscription', facts: subscriptionFacts },
  installplans: { kind: 'InstallPlan', facts: installPlanFacts },
  operatorconditions: { kind: 'OperatorCondition', facts: operatorConditionFacts },
  catalogsources: { kind: 'CatalogSource', facts: catalogSourceFacts },
  operatorgroups: { kind: 'OperatorGroup', facts: operatorGroupFacts },
  hyperconvergeds: { kind: 'HyperConverged', facts: hyperConvergedFacts },
  kubevirts: { kind: 'KubeVirt', facts: operandFacts('kubevirts') },
  cdis: { kind: 'CDI', facts: operandFacts('cdis') },
  ssps: { kind: 'SSP', facts: operandFacts('ssps') },
  networkaddonsconfigs: { kind: 'NetworkAddonsConfig', facts: operandFacts('networkaddonsconfigs') },
  hostpathprovisioners: { kind: 'HostPathProvisioner', facts: operandFacts('hostpathprovisioners') },
  aaqs: { kind: 'AAQ', facts: operandFacts('aaqs') },
  kubedeschedulers: { kind: 'KubeDescheduler', facts: kubeDeschedulerFacts },
  daemonsets: { kind: 'DaemonSet', facts: daemonSetFacts, isIgnored: (object) => !isVirtHandler(object) },
  virtualmachineinstancemigrations: { kind: 'VirtualMachineInstanceMigration', facts: migrationFacts },
  virtualmachineinstances: { kind: 'VirtualMachineInstance', facts: virtualMachineInstanceFacts },
  dataimportcrons: { kind: 'DataImportCron', facts: dataImportCronFacts },
  machineconfigpools: { kind: 'MachineConfigPool', facts: machineConfigPoolFacts },
  clusterversions: { kind: 'ClusterVersion', facts: clusterVersionFacts },
  clusteroperators: { kind: 'ClusterOperator', facts: clusterOperatorFacts },
  nodes: { kind: 'Node', facts: nodeFacts },
  storageclasses: { kind: 'StorageClass', facts: storageClassFacts },
  apirequestcounts: { kind: 'APIRequestCount', facts: apiRequestCountFacts, isIgnored: isApiThatStays },
  events: { kind: 'Event', facts: eventFacts, isIgnored: (object) => !isEventOfInterest(object) },
}

export function isObjectKind(resource: string): resource is ObjectKind {
  return Object.hasOwn(KINDS, resource)
}

/**
 * Keys whose values are skipped while the body of a watched object is decoded, at any depth: of a CSV of 150 kB this
 * leaves 10. No stored field has one of these names.
 */
export const SKIPPED_KEYS: ReadonlySet<string> = new Set([
  // Of `managedFields`: who wrote last is read, what each owns is not.
  'fieldsV1',
  'kubectl.kubernetes.io/last-applied-configuration',
  // CSV
  'install',
  'icon',
  'description',
  'alm-examples',
  'customresourcedefinitions',
  'apiservicedefinitions',
  'webhookdefinitions',
  'relatedImages',
  'requirementStatus',
  'nativeAPIs',
  // InstallPlan
  'plan',
  'bundleLookups',
  // HyperConverged, ClusterOperator, ClusterVersion
  'relatedObjects',
  'conditionalUpdates',
  // DaemonSet, DataImportCron
  'template',
  // Node
  'images',
  'volumesAttached',
  'volumesInUse',
])
