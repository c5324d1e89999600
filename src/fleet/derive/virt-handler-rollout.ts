/**
 * The rollout of virt-handler over the nodes, the longest part of the control plane: one canary, then tenths of the nodes
 * (facts 5.5 steps 9 and 10). From the counters of the DaemonSet.
 */
import type { DaemonSetFacts } from '../../model/object-facts.ts'
import type { UpgradeDetail } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectHistory, ObjectState } from './cluster-history.ts'
import type { Span } from './component-upgrade.ts'
import { seenMoment, timesOf, type Moment } from './moment.ts'

export interface Rollout {
  readonly ref: string
  readonly started: Moment
  readonly canary: Moment | undefined
  readonly ended: Moment | undefined
  readonly desired: number
  readonly updated: number
  readonly ready: number
  /** Each time more nodes were done than before in this rollout. */
  readonly progressMs: readonly number[]
}

export function virtHandlerRollout(history: ClusterHistory, range: Span): Rollout | undefined {
  const rollouts = history.of('daemonsets').flatMap((daemonSet) => {
    if (daemonSet.name !== 'virt-handler') return []
    const { states } = daemonSet
    const start = states.findIndex((state, i) => isWithin(state, range) && isStart(state, states[i - 1]))
    if (start === -1) return []
    const rolling = states.slice(start).filter((state) => isWithin(state, range))
    return [rolloutOf(rolling, states[start - 1], refOf(daemonSet))]
  })
  return rollouts[0]
}

/** The newest rollout, whatever started it. `undefined`: the DaemonSet is gone or was never rolled out. */
export function rolloutNow(history: ClusterHistory): Rollout | undefined {
  const daemonSet = history.of('daemonsets').findLast(({ name, gone }) => name === 'virt-handler' && gone === undefined)
  if (daemonSet === undefined) return undefined
  const { states } = daemonSet
  const start = states.findLastIndex((state, i) => isStart(state, states[i - 1]))
  if (start === -1) return undefined
  return rolloutOf(states.slice(start), states[start - 1], refOf(daemonSet))
}

function refOf({ namespace, name }: Pick<ObjectHistory, 'namespace' | 'name'>): string {
  return `daemonsets/${namespace}/${name}`
}

/** Whether the DaemonSet is reported and no rollout of the range was missed, so a missing rollout means that there was none. */
export function isHandlerObserved(history: ClusterHistory, range: Span): boolean {
  const handlers = history.of('daemonsets').filter(({ name }) => name === 'virt-handler')
  const isMissed = handlers.some(({ states }) =>
    states.some((state, i) => {
      const before = states[i - 1]
      const isChanged = before !== undefined && state.facts.generation !== before.facts.generation
      return isChanged && isWithin(state, range) && !isStart(state, before)
    }),
  )
  return handlers.length > 0 && !isMissed
}

function isWithin({ atMs }: ObjectState, { fromMs, toMs }: Span): boolean {
  return atMs >= fromMs && atMs < toMs
}

/** Fewer pods are updated, or the template changed; a new node only increases the desired number. */
function isStart({ facts }: ObjectState<DaemonSetFacts>, before: ObjectState<DaemonSetFacts> | undefined): boolean {
  if (facts.updated >= facts.desired) return false
  return before === undefined || facts.updated < before.facts.updated || facts.generation !== before.facts.generation
}

function rolloutOf(
  rolling: readonly ObjectState<DaemonSetFacts>[],
  before: ObjectState<DaemonSetFacts> | undefined,
  ref: string,
): Rollout {
  const momentAt = (i: number): Moment | undefined =>
    i === -1 ? undefined : seenMoment(rolling[i]!, rolling[i - 1] ?? before)
  const end = rolling.findIndex(({ facts }) => isDone(facts))
  const canary = rolling.findIndex(({ facts }) => isCanaryReady(facts) || isDone(facts))
  const last = rolling[end === -1 ? rolling.length - 1 : end]!.facts
  return {
    ref,
    started: momentAt(0)!,
    canary: momentAt(canary),
    ended: momentAt(end),
    desired: last.desired,
    updated: last.updated,
    ready: last.ready,
    progressMs: progressOf(end === -1 ? rolling : rolling.slice(0, end + 1)),
  }
}

function isDone({ desired, updated, ready }: DaemonSetFacts): boolean {
  return updated >= desired && ready >= desired
}

/** virt-operator updates more than one node only after the canary is ready. */
function isCanaryReady({ desired, updated, ready, maxUnavailable }: DaemonSetFacts): boolean {
  if (updated === 0) return false
  return updated > 1 || ready >= desired || (maxUnavailable !== undefined && maxUnavailable !== '1')
}

/** A node counts when its new pod is ready. A crash-looping canary counts none. */
function progressOf(rolling: readonly ObjectState<DaemonSetFacts>[]): readonly number[] {
  let most = 0
  return rolling.flatMap(({ facts, atMs }, i) => {
    const missing = Math.max(0, facts.desired - facts.ready)
    const nodes = Math.max(0, facts.updated - missing)
    if (i > 0 && nodes <= most) return []
    most = Math.max(most, nodes)
    return [atMs]
  })
}

/** One canary, then tenths of the nodes. */
function wavesOf(nodes: number): number {
  return nodes <= 1 ? nodes : 1 + Math.ceil((nodes - 1) / Math.ceil(nodes / 10))
}

export function toVirtHandler(
  rollout: Pick<Rollout, 'desired' | 'updated' | 'ready' | 'canary' | 'ended'> & {
    readonly started: Moment | undefined
  },
): NonNullable<UpgradeDetail['virtHandler']> {
  const { desired, updated, ready, started, canary, ended } = rollout
  return {
    ...{ desired, updated, ready, waves: wavesOf(desired), ...timesOf({ started }) },
    ...(canary !== undefined && { canaryMs: canary.atMs }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
  }
}
