import type { EventFacts } from '../../model/object-facts.ts'
import { timesOf } from './meta.ts'
import { at, countAt, present, textOr, timeMsAt } from './object-value.ts'
import type { ObjectValue } from './object-value.ts'

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
    // One that is told for the first time may say no count at all.
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

/** Of which objects ordinary Events are kept; of all others only warnings are. */
const TOLD_OF = new Set([
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
  return textOr(object, 'type') !== 'Normal' || TOLD_OF.has(textOr(subjectOf(object), 'kind'))
}
