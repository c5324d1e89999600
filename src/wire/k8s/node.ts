import type { NodeFacts } from '../../model/object-facts.ts'
import { conditionsAt } from './conditions.ts'
import { timesOf } from './meta.ts'
import { at, booleanAt, entriesOf, present, textOr, type ObjectValue } from './object-value.ts'

/** A node without its heartbeats and its list of images: of a state that is reported every few minutes this stays the same. */

const ROLE_PREFIX = 'node-role.kubernetes.io/'
const KVM = 'devices.kubevirt.io/kvm'

export function nodeFacts(object: ObjectValue): NodeFacts {
  const ready = conditionsAt(object, 'status', 'conditions').find(({ type }) => type === 'Ready')
  const kvm = at(object, 'status', 'allocatable', KVM)
  const roles = entriesOf(at(object, 'metadata', 'labels')).flatMap(({ key }) =>
    key.startsWith(ROLE_PREFIX) ? [key.slice(ROLE_PREFIX.length)] : [],
  )
  return present<NodeFacts>({
    kind: 'nodes',
    ...timesOf(object),
    isReady: ready?.status === 'True',
    readyChangedMs: ready?.lastTransitionMs,
    isSchedulable: booleanAt(object, 'spec', 'unschedulable') !== true,
    roles: roles.sort(),
    kubeletVersion: textOr(object, 'status', 'nodeInfo', 'kubeletVersion'),
    // A quantity, a text as a rule: `1k`.
    hasKvm: kvm === undefined ? undefined : kvm !== '0' && kvm !== 0,
  })
}
