import type { DaemonSetFacts, EventFacts, NodeFacts, StorageClassFacts } from '../../model/object-facts.ts'
import { conditionsAt, factsOf } from './facts-of.ts'
import {
  annotationAt,
  at,
  booleanAt,
  countAt,
  entriesOf,
  integerAt,
  textAt,
  textOr,
  timeMsAt,
  type ObjectValue,
} from './object-value.ts'

/** Kubernetes' own objects. */

const ROLE_PREFIX = 'node-role.kubernetes.io/'
const KVM = 'devices.kubevirt.io/kvm'

/** A node without its heartbeats and its images: the state is reported every few minutes, and these facts stay the same. */
export function nodeFacts(object: ObjectValue): NodeFacts {
  const ready = conditionsAt(object, 'status', 'conditions').find(({ type }) => type === 'Ready')
  const kvm = at(object, 'status', 'allocatable', KVM)
  const roles = entriesOf(at(object, 'metadata', 'labels')).flatMap(({ key }) =>
    key.startsWith(ROLE_PREFIX) ? [key.slice(ROLE_PREFIX.length)] : [],
  )
  return factsOf<NodeFacts>('nodes', object, {
    isReady: ready?.status === 'True',
    readyChangedMs: ready?.lastTransitionMs,
    isSchedulable: booleanAt(object, 'spec', 'unschedulable') !== true,
    roles: roles.sort(),
    kubeletVersion: textOr(object, 'status', 'nodeInfo', 'kubeletVersion'),
    // A quantity, a text as a rule: `1k`.
    hasKvm: kvm === undefined ? undefined : kvm !== '0' && kvm !== 0,
  })
}

/** storage.k8s.io/v1. */
export function storageClassFacts(object: ObjectValue): StorageClassFacts {
  return factsOf<StorageClassFacts>('storageclasses', object, {
    provisioner: textOr(object, 'provisioner'),
    isDefault: annotationAt(object, 'storageclass.kubernetes.io/is-default-class') === 'true',
    isVirtDefault: annotationAt(object, 'storageclass.kubevirt.io/is-default-virt-class') === 'true',
  })
}

/** The one DaemonSet that an upgrade is read from: it rolls out node by node. */
export function isVirtHandler(object: ObjectValue): boolean {
  return textAt(object, 'metadata', 'name') === 'virt-handler'
}

export function daemonSetFacts(object: ObjectValue): DaemonSetFacts {
  const status = at(object, 'status')
  const maxUnavailable = at(object, 'spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable')
  return factsOf<DaemonSetFacts>('daemonsets', object, {
    desired: countAt(status, 'desiredNumberScheduled'),
    current: countAt(status, 'currentNumberScheduled'),
    updated: countAt(status, 'updatedNumberScheduled'),
    ready: countAt(status, 'numberReady'),
    available: countAt(status, 'numberAvailable'),
    generation: integerAt(object, 'metadata', 'generation'),
    observedGeneration: integerAt(status, 'observedGeneration'),
    // An IntOrString.
    maxUnavailable: typeof maxUnavailable === 'number' ? String(maxUnavailable) : textAt(maxUnavailable),
  })
}

/** What an Event is about, in both of its groups: `v1` has `involvedObject`, events.k8s.io/v1 has `regarding`. */
function subjectOf(object: ObjectValue): ObjectValue {
  return at(object, 'involvedObject') ?? at(object, 'regarding')
}

export function eventFacts(object: ObjectValue): EventFacts {
  const subject = subjectOf(object)
  const atMs = timeMsAt(object, 'eventTime')
  const lastMs =
    timeMsAt(object, 'series', 'lastObservedTime') ??
    timeMsAt(object, 'lastTimestamp') ??
    timeMsAt(object, 'deprecatedLastTimestamp')
  return factsOf<EventFacts>('events', object, {
    reason: textOr(object, 'reason'),
    type: textOr(object, 'type'),
    message: textOr(object, 'message') || textOr(object, 'note'),
    // A first occurrence may omit the count.
    count: Math.max(
      1,
      countAt(object, 'series', 'count'),
      countAt(object, 'count'),
      countAt(object, 'deprecatedCount'),
    ),
    firstMs: timeMsAt(object, 'firstTimestamp') ?? timeMsAt(object, 'deprecatedFirstTimestamp') ?? atMs,
    lastMs: lastMs ?? atMs,
    objectKind: textOr(subject, 'kind'),
    objectName: textOr(subject, 'name'),
    objectNamespace: textOr(subject, 'namespace'),
  })
}

/** Kinds whose normal Events are stored; of all others only warnings are stored. */
const NORMAL_EVENT_KINDS = new Set([
  'HyperConverged',
  'KubeVirt',
  'CDI',
  'SSP',
  'NetworkAddonsConfig',
  'AAQ',
  'HostPathProvisioner',
  'ClusterServiceVersion',
  'Subscription',
  'InstallPlan',
  'OperatorCondition',
  'CatalogSource',
  'MachineConfigPool',
  'ClusterVersion',
  'DataImportCron',
  'VirtualMachineInstanceMigration',
])

/** Whether an upgrade may be read from it. A namespace is full of pods that were pulled, created and started. */
export function isEventOfInterest(object: ObjectValue): boolean {
  return textOr(object, 'type') !== 'Normal' || NORMAL_EVENT_KINDS.has(textOr(subjectOf(object), 'kind'))
}
