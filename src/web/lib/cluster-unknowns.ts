import type { ClusterDetail } from '../../contract/fleet-clusters.ts'

/** What the cluster's data sources do not report, in sentences; empty when all report. */
export function unknownsOf({ coverage, nodes, conditions, platform }: ClusterDetail): readonly string[] {
  const { objects, metrics, kinds } = coverage
  const noObjects =
    'Objects not reported: settings, conditions, subscriptions and JSON patches are known only from metrics.'
  return [
    ...(objects ? missingKinds(kinds) : [noObjects]),
    ...(metrics ? [] : ['Metrics not reported: alerts, VMs and the rate of out-of-band modifications are not known.']),
    ...(objects && nodes === null ? ['Nodes not reported.'] : []),
    ...(objects && conditions.length === 0 ? ['Conditions of HyperConverged not reported.'] : []),
    ...(platform === null ? ['Platform not reported.'] : []),
  ]
}

const WANTED_KINDS: Readonly<Record<string, string>> = {
  hyperconvergeds: 'settings and conditions',
  subscriptions: 'channel and approval',
  installplans: 'approvals',
  clusterserviceversions: 'phases of the installation',
  kubevirts: 'the observed version',
  daemonsets: 'rollout waves of virt-handler',
  nodes: 'nodes',
}

function missingKinds(kinds: readonly string[]): readonly string[] {
  const missing = Object.entries(WANTED_KINDS).filter(([kind]) => !kinds.includes(kind))
  if (missing.length === 0) return []
  return [`Not watched: ${missing.map(([kind, what]) => `${kind} (${what})`).join(', ')}.`]
}
