/**
 * The operands of one upgrade: each has its own operator, which says the version it goes to and the one it is at. Done is
 * what HCO waits for: observed is the target and nothing is in progress (facts 5.3). KubeVirt's `phase` says nothing,
 * it stays Deployed all through an update.
 */
import type { OperandFacts } from '../../model/object-facts.ts'
import type { ComponentUpgrade, PhaseState } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectHistory, ObjectState } from './cluster-history.ts'
import { conditionOf } from './hco-window.ts'
import { ownMoment, seenMoment, type Moment } from './moment.ts'
import { OPERAND_KINDS, OPERAND_NAMES } from './operands.ts'

export interface Span {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

export interface ComponentPath {
  readonly name: string
  readonly ref: string
  readonly from: string | undefined
  readonly to: string | undefined
  readonly started: Moment | undefined
  readonly ended: Moment | undefined
  readonly state: PhaseState
  readonly message: string | undefined
}

/** @param isOver the upgrade ended: what has not moved by then was not to move */
export function componentPaths(history: ClusterHistory, range: Span, isOver: boolean): readonly ComponentPath[] {
  return OPERAND_KINDS.flatMap((kind) => {
    const paths = history.of(kind).map((operand) => pathOf(operand, OPERAND_NAMES[kind], range, isOver))
    // One object of each kind serves; of a re-created one, the newest that moved.
    const best = paths.findLast((path) => path.started !== undefined || path.ended !== undefined) ?? paths.at(-1)
    return best === undefined ? [] : [best]
  })
}

export function toComponent({ name, from, to, started, ended, state, message }: ComponentPath): ComponentUpgrade {
  return {
    name,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(started !== undefined && { startedMs: started.atMs }),
    ...(ended !== undefined && { endedMs: ended.atMs }),
    state,
    ...(message !== undefined && { message }),
  }
}

function pathOf(operand: ObjectHistory<OperandFacts>, name: string, range: Span, isOver: boolean): ComponentPath {
  const ref = `${operand.states[0]!.facts.kind}/${operand.namespace}/${operand.name}`
  const before = operand.states.findLast(({ atMs }) => atMs < range.fromMs)
  const within = operand.states.filter(({ atMs }) => atMs >= range.fromMs && atMs < range.toMs)
  const from = before === undefined ? observedBefore(within[0]?.facts) : versionOf(before.facts)
  const none = { name, ref, from, to: from, started: undefined, ended: undefined, message: undefined }
  const start = within.findIndex(
    ({ facts }, i) => isMoving(facts) || hasMoved(facts, i === 0 ? from : versionOf(within[i - 1]!.facts)),
  )
  if (start === -1) {
    const isKnown = from !== undefined && within.length > 0
    // Nothing of it was told after the upgrade began: it may have moved since, or be about to.
    const state = !isOver ? 'pending' : isKnown || before !== undefined ? 'skipped' : 'unknown'
    return { ...none, state }
  }
  const first = within[start]!
  const firstBefore = within[start - 1] ?? before
  const isJump = !isMoving(first.facts)
  const started = isJump ? undefined : flipTime(first, firstBefore, 'True')
  const done = within.findIndex(({ facts }, i) => i >= start && isDone(facts))
  const ended = done === -1 ? undefined : flipTime(within[done]!, within[done - 1] ?? before, 'False')
  const last = within.at(-1)!.facts
  return {
    name,
    ref,
    from,
    to: (done === -1 ? last : within[done]!.facts).targetVersion ?? versionOf(last),
    started,
    ended,
    state: ended === undefined ? (isOver ? 'unknown' : 'in_progress') : 'succeeded',
    message: ended === undefined ? complaintOf(last) : undefined,
  }
}

/** The first state known may already be moving; then it says what it comes from. */
function observedBefore(facts: OperandFacts | undefined): string | undefined {
  if (facts === undefined) return undefined
  return isMoving(facts) || isDone(facts) ? facts.observedVersion : undefined
}

function versionOf({ observedVersion, operatorVersion }: OperandFacts): string | undefined {
  return observedVersion ?? operatorVersion
}

/** On the way to another version, or to another build of the same one. */
export function isMoving(facts: OperandFacts): boolean {
  const { targetVersion, observedVersion, targetDeploymentId, observedDeploymentId } = facts
  if (targetVersion === undefined || observedVersion === undefined) return false
  if (targetVersion !== observedVersion) return true
  return (
    targetDeploymentId !== undefined &&
    observedDeploymentId !== undefined &&
    targetDeploymentId !== observedDeploymentId
  )
}

function hasMoved(facts: OperandFacts, from: string | undefined): boolean {
  const version = versionOf(facts)
  return from !== undefined && version !== undefined && version !== from
}

export function isDone(facts: OperandFacts): boolean {
  return (
    !isMoving(facts) && conditionOf(facts.conditions, 'Progressing')?.status !== 'True' && facts.phase !== 'Upgrading'
  )
}

/** When Progressing became this in this state: by its own time if it flipped here. */
function flipTime(
  state: ObjectState<OperandFacts>,
  before: ObjectState<OperandFacts> | undefined,
  status: 'True' | 'False',
): Moment {
  const seen = seenMoment(state, before)
  const progressing = conditionOf(state.facts.conditions, 'Progressing')
  if (progressing?.status !== status || progressing.lastTransitionMs === undefined) return seen
  const known = before === undefined ? undefined : conditionOf(before.facts.conditions, 'Progressing')
  // The same status with a newer time: it went there and back while nobody looked.
  const isSame = known?.status === status && known.lastTransitionMs === progressing.lastTransitionMs
  if (isSame || (before === undefined && status === 'False')) return seen
  if (before !== undefined && progressing.lastTransitionMs < before.atMs - SAME_WRITE_MS) return seen
  const resolutionSeconds = state.isWatched ? 1 : seen.resolutionSeconds
  return { ...ownMoment(progressing.lastTransitionMs, !state.isWatched), resolutionSeconds }
}

/** A state may be written a little after the condition's time in it. */
const SAME_WRITE_MS = 10_000

/** Conditions that speak against an operand, the gravest first. */
const COMPLAINTS: readonly (readonly [type: string, status: string])[] = [
  ['Degraded', 'True'],
  ['Available', 'False'],
  ['ReconcileComplete', 'False'],
  ['Synchronized', 'False'],
  ['Progressing', 'True'],
]

function complaintOf(facts: OperandFacts): string | undefined {
  for (const [type, status] of COMPLAINTS) {
    const condition = conditionOf(facts.conditions, type)
    if (condition?.status === status && condition.message !== '') return condition.message
  }
  return undefined
}
