import type { DaemonSetFacts } from '../../model/object-facts.ts'
import { timesOf } from './meta.ts'
import { at, countAt, integerAt, present, textAt, type ObjectValue } from './object-value.ts'

/** The one DaemonSet that an upgrade is read from: it rolls out node by node. */
export function isVirtHandler(object: ObjectValue): boolean {
  return textAt(object, 'metadata', 'name') === 'virt-handler'
}

export function daemonSetFacts(object: ObjectValue): DaemonSetFacts {
  const status = at(object, 'status')
  const maxUnavailable = at(object, 'spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable')
  return present<DaemonSetFacts>({
    kind: 'daemonsets',
    ...timesOf(object),
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
