import { invariant } from '../../base/invariant.ts'
import { isWhole, type ClusterScope } from '../../model/cluster-scope.ts'
import type { FleetPorts, Scopes } from './fleet-ports.ts'
import type { PortsOf } from './ports-of.ts'
import { scopedPorts } from './scoped-ports.ts'

/** @param scopes absent: no principal has a scope */
export function createPortsOf(whole: FleetPorts, scopes: Scopes | undefined): PortsOf<FleetPorts> {
  const known = new WeakMap<ClusterScope, FleetPorts>()
  return ({ scope }) => {
    if (isWhole(scope)) return whole
    invariant(scopes !== undefined, 'only a server with scopes has principals with one')
    let ports = known.get(scope)
    if (ports === undefined) known.set(scope, (ports = scopedPorts(whole, scopes.readers(scope), scope)))
    return ports
  }
}
