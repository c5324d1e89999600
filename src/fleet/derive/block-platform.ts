/** What blocks the machine config pools of an OpenShift upgrade: a node that cannot be drained, a degraded pool. */
import type { Condition } from '../../model/object-facts.ts'
import type { Evidence, UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { conditionText, endSentence, objectEvidence } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { objectsNow } from './present.ts'

function isPlatformOpen({ upgrade }: UpgradeRecord): boolean {
  const isOpen = upgrade.phases.some(({ name, state }) => name.startsWith('platform') && state === 'in_progress')
  return upgrade.operator === 'openshift' && isOpen
}

/** The machine-config operator or a pool reports that a node cannot be drained. */
export function nodeDrainBlocked(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  if (!isPlatformOpen(record)) return undefined
  const evidence = faultsOf(history, 'clusteroperators', isDrain).concat(
    faultsOf(history, 'machineconfigpools', isDrain),
  )
  if (evidence.length === 0) return undefined
  const sinceMs = Math.min(...evidence.map(({ atMs }) => atMs))
  const text = 'A node cannot be drained: something on it may not be evicted.'
  return { cause: 'node_drain_blocked', text, sinceMs, evidence }
}

/** A pool reports that it or its nodes are degraded: a rendered config is missing, a file or an image cannot be applied. */
export function poolDegraded(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  if (!isPlatformOpen(record)) return undefined
  // Degraded repeats NodeDegraded or RenderDegraded, as a rule without a message.
  const pools = objectsNow(history, 'machineconfigpools').flatMap(({ name, facts, atMs }) => {
    const degraded = facts.conditions.filter(({ type, status }) => status === 'True' && type.endsWith('Degraded'))
    const condition = degraded.toSorted((a, b) => Number(b.message !== '') - Number(a.message !== ''))[0]
    return condition === undefined ? [] : [{ name, condition, sinceMs: condition.lastTransitionMs ?? atMs }]
  })
  const [pool] = pools
  if (pool === undefined) return undefined
  const { name, condition } = pool
  const why = condition.message || condition.reason
  const happened =
    why === '' ? `Machine config pool ${name} is degraded` : `Machine config pool ${name} is degraded: ${why}`
  return {
    cause: 'pool_degraded',
    text: `${endSentence(happened)} Fix the reported fault on the nodes of the pool.`,
    sinceMs: Math.min(...pools.map((one) => one.sinceMs)),
    evidence: [
      ...pools.map((one) =>
        objectEvidence(one.sinceMs, conditionText(one.condition), `machineconfigpools//${one.name}`, 'platform'),
      ),
      ...faultsOf(history, 'clusteroperators', ({ type }) => type === 'Degraded'),
    ],
  }
}

/** Conditions that are True, of the machine-config operator or of the pools. */
function faultsOf(
  history: ClusterHistory,
  kind: 'clusteroperators' | 'machineconfigpools',
  isFault: (condition: Condition) => boolean,
): readonly Evidence[] {
  const objects = [
    ...objectsNow(history, 'clusteroperators').filter(({ name }) => name === 'machine-config'),
    ...objectsNow(history, 'machineconfigpools'),
  ]
  return objects
    .filter(({ facts }) => facts.kind === kind)
    .flatMap(({ name, facts, atMs }) => {
      const faults = facts.conditions.filter((condition) => condition.status === 'True' && isFault(condition))
      return faults.map((condition) =>
        objectEvidence(condition.lastTransitionMs ?? atMs, conditionText(condition), `${kind}//${name}`, 'platform'),
      )
    })
}

const DRAIN = /failed to drain|cannot evict|disruption budget/i

function isDrain({ message }: Condition): boolean {
  return DRAIN.test(message)
}
