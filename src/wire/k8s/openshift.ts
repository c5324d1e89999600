import type {
  ApiRequestCountFacts,
  ClusterOperatorFacts,
  ClusterVersionFacts,
  MachineConfigPoolFacts,
} from '../../model/object-facts.ts'
import { conditionsAt, factsOf } from './facts-of.ts'
import { operatorVersionOf } from './hyperconverged.ts'
import {
  at,
  booleanAt,
  countAt,
  integerAt,
  listAt,
  present,
  textAt,
  textOr,
  timeMsAt,
  type ObjectValue,
} from './object-value.ts'

/** What OpenShift's own upgrade is read from: config.openshift.io/v1, machineconfiguration.openshift.io/v1. */

/** OpenShift stores up to a hundred; the newest suffice to describe an upgrade. */
const HISTORY_MAX = 20

export function clusterVersionFacts(object: ObjectValue): ClusterVersionFacts {
  return factsOf<ClusterVersionFacts>('clusterversions', object, {
    clusterId: textOr(object, 'spec', 'clusterID'),
    channel: textOr(object, 'spec', 'channel'),
    desiredVersion: textOr(object, 'status', 'desired', 'version'),
    history: (listAt(object, 'status', 'history') ?? []).slice(0, HISTORY_MAX).map((item) =>
      present<ClusterVersionFacts['history'][number]>({
        state: textOr(item, 'state'),
        version: textOr(item, 'version'),
        startedMs: timeMsAt(item, 'startedTime'),
        completedMs: timeMsAt(item, 'completionTime'),
      }),
    ),
    conditions: conditionsAt(object, 'status', 'conditions'),
    availableUpdates: (listAt(object, 'status', 'availableUpdates') ?? []).flatMap(
      (item) => textAt(item, 'version') ?? [],
    ),
  })
}

export function clusterOperatorFacts(object: ObjectValue): ClusterOperatorFacts {
  return factsOf<ClusterOperatorFacts>('clusteroperators', object, {
    operatorVersion: operatorVersionOf(object),
    conditions: conditionsAt(object, 'status', 'conditions'),
  })
}

export function machineConfigPoolFacts(object: ObjectValue): MachineConfigPoolFacts {
  const status = at(object, 'status')
  return factsOf<MachineConfigPoolFacts>('machineconfigpools', object, {
    isPaused: booleanAt(object, 'spec', 'paused') ?? false,
    machines: countAt(status, 'machineCount'),
    updated: countAt(status, 'updatedMachineCount'),
    ready: countAt(status, 'readyMachineCount'),
    degraded: countAt(status, 'degradedMachineCount'),
    conditions: conditionsAt(status, 'conditions'),
    generation: integerAt(object, 'metadata', 'generation'),
  })
}

/** User agents of one version of an API; on most clusters a handful. */
const CLIENTS_MAX = 20

/** APIRequestCount (apiserver.openshift.io/v1). Its name is `resource.version.group`. */
export function apiRequestCountFacts(object: ObjectValue): ApiRequestCountFacts {
  const hours = [at(object, 'status', 'currentHour'), ...(listAt(object, 'status', 'last24h') ?? [])]
  const users = hours.flatMap((hour) => (listAt(hour, 'byNode') ?? []).flatMap((node) => listAt(node, 'byUser') ?? []))
  const clients = new Set(users.flatMap((user) => textAt(user, 'userAgent') ?? textAt(user, 'username') ?? []))
  return factsOf<ApiRequestCountFacts>('apirequestcounts', object, {
    removedIn: textAt(object, 'status', 'removedInRelease'),
    clients: [...clients].sort().slice(0, CLIENTS_MAX),
  })
}

/** Most are about versions that stay, of APIs other than KubeVirt's; OpenShift announces no removal of the latter. */
export function isApiThatStays(object: ObjectValue): boolean {
  const isRemoved = textAt(object, 'status', 'removedInRelease') !== undefined
  return (
    at(object, 'status') !== undefined && !isRemoved && !textOr(object, 'metadata', 'name').endsWith('.kubevirt.io')
  )
}
