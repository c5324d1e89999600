/**
 * The rollout of virt-handler over the nodes, the longest part of the control plane: one canary, then tenths of the nodes
 * (facts 5.5 steps 9 and 10). From the counters of the DaemonSet.
 */
import { remembered } from '../../base/remembered.ts'
import type { DaemonSetFacts } from '../../model/object-facts.ts'
import type { UpgradeDetail } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectHistory, ObjectState } from './cluster-history.ts'
import { seenMoment, timesOf, type Moment } from './moment.ts'
import { objectsWithin, placesWithin, type Span } from './states-in-time.ts'

export interface Rollout {
  readonly ref: string
  readonly started: Moment
  readonly canary: Moment | undefined
  readonly ended: Moment | undefined
  /** Of `desired`, `updated` and `ready`. */
  readonly counted: Moment
  readonly desired: number
  readonly updated: number
  readonly ready: number
  /** Each time more nodes were done than before in this rollout. */
  readonly progressMs: readonly number[]
}

export function virtHandlerRollout(history: ClusterHistory, range: Span): Rollout | undefined {
  for (const daemonSet of objectsWithin(virtHandlers(history), range)) {
    const { states } = daemonSet
    const places = placesWithin(daemonSet, range)
    const start = places.findIndex((i) => isStart(states[i]!, states[i - 1]))
    if (start === -1) continue
    const rolling = places.slice(start).map((i) => states[i]!)
    return rolloutOf(rolling, states[places[start]! - 1], refOf(daemonSet))
  }
  return undefined
}

/** Each time it was created. */
export const virtHandlers = remembered((history: ClusterHistory) =>
  history.of('daemonsets').filter(({ name }) => name === 'virt-handler'),
)

/** The newest rollout, whatever started it. `undefined`: the DaemonSet is gone or was never rolled out. */
export function rolloutNow(history: ClusterHistory): Rollout | undefined {
  const daemonSet = virtHandlers(history).findLast(({ gone }) => gone === undefined)
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
  const handlers = virtHandlers(history)
  const isMissed = objectsWithin(handlers, range).some((handler) =>
    placesWithin(handler, range).some((i) => {
      const [state, before] = [handler.states[i]!, handler.states[i - 1]]
      const isChanged = before !== undefined && state.facts.generation !== before.facts.generation
      return isChanged && !isStart(state, before)
    }),
  )
  return handlers.length > 0 && !isMissed
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
  const lastIndex = end === -1 ? rolling.length - 1 : end
  const last = rolling[lastIndex]!.facts
  return {
    ref,
    started: momentAt(0)!,
    canary: momentAt(canary),
    ended: momentAt(end),
    counted: momentAt(lastIndex)!,
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
