/** The platform of a cluster: OpenShift by its own objects and metrics, Kubernetes by its nodes. */
import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'
import { compareTexts, compareVersions } from '../version-order.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { presentObjects } from './present.ts'

type Platform = NonNullable<ClusterRecord['platform']>
type Nodes = NonNullable<ClusterRecord['nodes']>

/** Kinds that only OpenShift has. */
const OPENSHIFT_KINDS: readonly string[] = ['clusterversions', 'clusteroperators', 'machineconfigpools']

/** `undefined`: unknown. */
export function platformOf(
  history: ClusterHistory,
  nodes: Nodes | undefined,
  intervals: readonly VersionInterval[],
): Platform | undefined {
  const { objects, metrics } = history.observations
  const isOpenShift = objects.some(
    ({ facts, namespace }) => OPENSHIFT_KINDS.includes(facts.kind) || namespace.startsWith('openshift-'),
  )
  const runs = history.currentRuns('platform')
  if (isOpenShift || metrics.some(({ signal }) => signal === 'platform')) {
    const version = intervals.find(
      ({ operator, untilMs }) => operator === 'openshift' && untilMs === undefined,
    )?.version
    const desired = runs.findLast(({ labels }) => labels['type'] === 'desired')?.labels['version']
    const target = presentObjects(history, 'clusterversions').at(-1)?.facts.desiredVersion ?? desired
    return {
      kind: 'openshift',
      ...(version === undefined ? {} : { version }),
      ...(target === undefined || target === '' || target === version ? {} : { target }),
    }
  }
  // A Collector that sends nodes also sends the platform's objects, if there are any.
  if (nodes === undefined) return undefined
  const [kubelet] = nodes.kubeletVersions
  return { kind: 'kubernetes', ...(nodes.kubeletVersions.length === 1 ? { version: kubelet! } : {}) }
}

export function nodesOf(history: ClusterHistory): Nodes | undefined {
  const nodes = presentObjects(history, 'nodes').map(({ facts }) => facts)
  if (nodes.length === 0) return undefined
  return {
    count: nodes.length,
    ready: nodes.filter(({ isReady }) => isReady).length,
    kubeletVersions: kubeletVersionsOf(nodes.map(({ kubeletVersion }) => kubeletVersion)),
  }
}

/** No cluster runs as many: of nodes that make versions up, the oldest. */
export const KUBELET_VERSIONS_MAX = 50

export function compareKubeletVersions(a: string, b: string): number {
  return compareVersions(a, b) || compareTexts(a, b)
}

function kubeletVersionsOf(ofNodes: Iterable<string>): readonly string[] {
  const versions = new Set(ofNodes)
  versions.delete('')
  return [...versions].sort(compareKubeletVersions).slice(0, KUBELET_VERSIONS_MAX)
}

export function poolsOf(history: ClusterHistory): ClusterRecord['pools'] {
  return presentObjects(history, 'machineconfigpools').map(({ name, facts }) => {
    const { isPaused, machines, updated, degraded } = facts
    return { name, isPaused, machines, updated, degraded }
  })
}

/** Other names of the cluster, which ingest has decided that it has. */
export function aliasesOf({ cluster, observations: { aliases = [] } }: ClusterHistory): readonly string[] {
  return aliases.filter((name) => name !== cluster).sort()
}

/** Names that its senders claim and that another cluster has, or claims as well. */
export function refusedAliasesOf({ cluster, observations }: ClusterHistory): readonly string[] {
  const { conflicts = [], members = [] } = observations
  const own = new Set([cluster, ...members])
  const taken = conflicts.filter((claim) => own.has(claim.cluster) && claim.refusal === 'taken')
  return [...new Set(taken.map(({ name }) => name))].sort()
}
