import type { EventFacts } from '../../model/object-facts.ts'
import { timesOf } from './meta.ts'
import { at, countAt, present, textOr, timeMsAt, type ObjectValue } from './object-value.ts'

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
  return present<EventFacts>({
    kind: 'events',
    ...timesOf(object),
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
