/** What a cluster stands on: OpenShift by its own words, plain Kubernetes by its nodes. */
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import type { ClusterObservations } from '../../model/observation.ts'
import { presentRuns } from './metric-runs.ts'
import { presentObjects } from './object-histories.ts'
import { compareVersions } from '../version-order.ts'

type Platform = NonNullable<ClusterRecord['platform']>
type Nodes = NonNullable<ClusterRecord['nodes']>

/** Only OpenShift has them. */
const OPENSHIFT_KINDS: readonly string[] = ['clusterversions', 'clusteroperators', 'machineconfigpools']

/** `undefined`: nothing told tells. */
export function platformOf(
  observations: ClusterObservations,
  nodes: Nodes | undefined,
  intervals: readonly VersionInterval[],
): Platform | undefined {
  const isOpenShift = observations.objects.some(
    ({ facts, namespace }) => OPENSHIFT_KINDS.includes(facts.kind) || namespace.startsWith('openshift-'),
  )
  const runs = presentRuns(observations, 'platform')
  if (isOpenShift || observations.metrics.some(({ signal }) => signal === 'platform')) {
    const version = intervals.find(
      ({ operator, untilMs }) => operator === 'openshift' && untilMs === undefined,
    )?.version
    const desired = runs.findLast(({ labels }) => labels['type'] === 'desired')?.labels['version']
    const target = presentObjects(observations, 'clusterversions').at(-1)?.facts.desiredVersion ?? desired
    return {
      kind: 'openshift',
      ...(version === undefined ? {} : { version }),
      ...(target === undefined || target === '' || target === version ? {} : { target }),
    }
  }
  // A Collector that tells nodes tells the platform's objects too, where there are any.
  if (nodes === undefined) return undefined
  const [kubelet] = nodes.kubeletVersions
  return { kind: 'kubernetes', ...(nodes.kubeletVersions.length === 1 ? { version: kubelet! } : {}) }
}

export function nodesOf(observations: ClusterObservations): Nodes | undefined {
  const nodes = presentObjects(observations, 'nodes').map(({ facts }) => facts)
  if (nodes.length === 0) return undefined
  const versions = new Set(nodes.map(({ kubeletVersion }) => kubeletVersion).filter((version) => version !== ''))
  return {
    count: nodes.length,
    ready: nodes.filter(({ isReady }) => isReady).length,
    kubeletVersions: [...versions].sort(compareVersions),
  }
}

export function poolsOf(observations: ClusterObservations): ClusterRecord['pools'] {
  return presentObjects(observations, 'machineconfigpools').map(({ name, facts }) => {
    const { isPaused, machines, updated, degraded } = facts
    return { name, isPaused, machines, updated, degraded }
  })
}

/** OpenShift's own name of the cluster, which Red Hat's telemetry uses. */
export function aliasesOf(observations: ClusterObservations): readonly string[] {
  const names = presentObjects(observations, 'clusterversions').map(({ facts }) => facts.clusterId)
  return [...new Set(names)].filter((name) => name !== '' && name !== observations.cluster).sort()
}
