/**
 * The number of nodes at the start of an upgrade: for KubeVirt's operators the nodes with virt-handler, for OpenShift all
 * nodes. If that number is not reported by then, the other one is used.
 */
import { firstIndexWhere } from '../../base/first-index.ts'
import { remembered } from '../../base/remembered.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeOperator } from '../../model/upgrade.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { lastStateUntil } from './states-in-time.ts'
import { virtHandlers } from './virt-handler-rollout.ts'

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
    const goneMs = handlersGone(history)
    const handler = virtHandlers(history)[firstIndexWhere(goneMs, (ms) => ms > atMs)]
    return handler && lastStateUntil(handler, atMs)?.facts.desired
  },
  (history, atMs) =>
    history.runs('virt_handler').findLast((run) => run.labels['state'] === 'desired' && holdsAt(run, atMs))?.value,
  (history, atMs) => sumOf(history.runs('kubevirt_nodes').filter((run) => isNamed(run) && holdsAt(run, atMs))),
]

const ALL_NODES: readonly Count[] = [
  (history, atMs) => {
    // A node that was not observed by then may be one of many short-lived ones.
    const { seenMs, goneMs } = nodeTimes(history)
    const count = untilCount(seenMs, atMs) - untilCount(goneMs, atMs)
    return count === 0 ? undefined : count
  },
  (history, atMs) => {
    const reported = history.runs('cordoned').filter((run) => holdsAt(run, atMs))
    return reported.length === 0 ? undefined : new Set(reported.map(({ labels }) => labels['node'])).size
  },
]

/** When virt-handler and all that were created before it were gone. */
const handlersGone = remembered((history: ClusterHistory): readonly number[] => {
  let lastMs = -Infinity
  return virtHandlers(history).map(({ gone }) => (lastMs = Math.max(lastMs, gone?.atMs ?? Infinity)))
})

/** When nodes were first seen, and when they were gone, both rising. */
const nodeTimes = remembered((history: ClusterHistory) => {
  const nodes = history.of('nodes')
  const seenMs = nodes.map(({ states }) => states[0]!.atMs)
  const goneMs = nodes.flatMap(({ states, gone }) => (gone === undefined ? [] : Math.max(gone.atMs, states[0]!.atMs)))
  return { seenMs: seenMs.sort((a, b) => a - b), goneMs: goneMs.sort((a, b) => a - b) }
})

function untilCount(times: readonly number[], timeMs: number): number {
  return firstIndexWhere(times, (ms) => ms > timeMs)
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
