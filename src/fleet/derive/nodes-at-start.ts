/**
 * The number of nodes at the start of an upgrade: for KubeVirt's operators the nodes with virt-handler, for OpenShift all
 * nodes. If that number is not reported by then, the other one is used.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeOperator } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'

type Count = (history: ClusterHistory, atMs: number) => number | undefined

export function nodesAtStart(history: ClusterHistory, operator: UpgradeOperator, atMs: number): number | undefined {
  const counts = operator === 'openshift' ? [...ALL_NODES, ...HANDLER_NODES] : [...HANDLER_NODES, ...ALL_NODES]
  for (const count of counts) {
    const nodes = count(history, atMs)
    if (nodes !== undefined && nodes > 0) return nodes
  }
  return undefined
}

/** The best source first: the DaemonSet, its metrics, the scraped pods. */
const HANDLER_NODES: readonly Count[] = [
  (history, atMs) => {
    const handler = history.of('daemonsets').find(({ name, gone }) => name === 'virt-handler' && !isGone(gone, atMs))
    return handler?.states.findLast((state) => state.atMs <= atMs)?.facts.desired
  },
  (history, atMs) =>
    history.runs('virt_handler').findLast((run) => run.labels['state'] === 'desired' && holdsAt(run, atMs))?.value,
  (history, atMs) => sumOf(history.runs('kubevirt_nodes').filter((run) => isNamed(run) && holdsAt(run, atMs))),
]

const ALL_NODES: readonly Count[] = [
  (history, atMs) => {
    // A node that was not observed by then may be one of many short-lived ones.
    const seen = history.of('nodes').filter(({ states, gone }) => states[0]!.atMs <= atMs && !isGone(gone, atMs))
    return seen.length === 0 ? undefined : seen.length
  },
  (history, atMs) => {
    const reported = history.runs('cordoned').filter((run) => holdsAt(run, atMs))
    return reported.length === 0 ? undefined : new Set(reported.map(({ labels }) => labels['node'])).size
  },
]

function isGone(gone: { readonly atMs: number } | undefined, atMs: number): boolean {
  return gone !== undefined && gone.atMs <= atMs
}

/** From its first sample until its observed end. */
function holdsAt({ firstMs, afterMs }: MetricRun, atMs: number): boolean {
  return firstMs <= atMs && (afterMs === undefined || afterMs > atMs)
}

/** A virt-handler without a version is counted again when it has one. */
function isNamed({ labels }: MetricRun): boolean {
  return (labels['kubeversion'] ?? '') !== ''
}

function sumOf(runs: readonly MetricRun[]): number | undefined {
  return runs.length === 0 ? undefined : runs.reduce((sum, { value }) => sum + value, 0)
}
