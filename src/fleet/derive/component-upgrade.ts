/**
 * The operands of one upgrade: the operator of each reports the target version and the observed one. An operand is done when
 * they are equal and nothing is in progress, as for HCO (facts 5.3). KubeVirt's `phase` stays Deployed during an update.
 */
import type { OperandFacts } from '../../model/object-facts.ts'
import type { ComponentUpgrade, PhaseState } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectHistory, ObjectState } from './cluster-history.ts'
import { conditionOf } from './hco-window.ts'
import { ownMoment, seenMoment, timesOf, type Moment } from './moment.ts'
import { OPERAND_KINDS, OPERAND_NAMES } from './operands.ts'
import { lastStateBefore, objectsWithin, statesWithin, type Span } from './states-in-time.ts'

export interface ComponentPath {
  readonly name: string
  readonly ref: string
  readonly from: string | undefined
  readonly to: string | undefined
  readonly started: Moment | undefined
  readonly ended: Moment | undefined
  readonly state: PhaseState
  readonly message: string | undefined
  /** Since when it has the message; `undefined`: it has none. */
  readonly complained: Moment | undefined
}

/** @param isOver the upgrade ended: operands without a change by then are not part of it */
export function componentPaths(history: ClusterHistory, range: Span, isOver: boolean): readonly ComponentPath[] {
  return OPERAND_KINDS.flatMap((kind) => componentPath(history, kind, range, isOver) ?? [])
}

export function componentPath(
  history: ClusterHistory,
  kind: OperandFacts['kind'],
  range: Span,
  isOver: boolean,
): ComponentPath | undefined {
  const operands = history.of(kind)
  const last = operands.at(-1)
  if (last === undefined) return undefined
  const toPath = (operand: ObjectHistory<OperandFacts>): ComponentPath =>
    pathOf(operand, OPERAND_NAMES[kind], range, isOver)
  const isChanged = ({ started, ended }: ComponentPath): boolean => started !== undefined || ended !== undefined
  const path = toPath(last)
  // There is one object of each kind; of a re-created one the newest that changed.
  if (operands.length === 1 || isChanged(path)) return path
  const changed = objectsWithin(operands, range).findLast((operand) => isChanged(toPath(operand)))
  return changed === undefined ? path : toPath(changed)
}

export function toComponent(path: Omit<ComponentPath, 'ref' | 'complained'>): ComponentUpgrade {
  const { name, from, to, started, ended, state, message } = path
  return {
    name,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...timesOf({ started, ended }),
    state,
    ...(message !== undefined && { message }),
  }
}

function pathOf(operand: ObjectHistory<OperandFacts>, name: string, range: Span, isOver: boolean): ComponentPath {
  const ref = `${operand.states[0]!.facts.kind}/${operand.namespace}/${operand.name}`
  const before = lastStateBefore(operand, range.fromMs)
  const within = statesWithin(operand, range)
  const from = before === undefined ? observedBefore(within[0]?.facts) : versionOf(before.facts)
  const none = {
    name,
    ref,
    from,
    to: from,
    started: undefined,
    ended: undefined,
    message: undefined,
    complained: undefined,
  }
  const start = within.findIndex(
    ({ facts }, i) => isMoving(facts) || hasMoved(facts, i === 0 ? from : versionOf(within[i - 1]!.facts)),
  )
  if (start === -1) {
    const isKnown = from !== undefined && within.length > 0
    // Without a report after the start of the upgrade it may have changed since.
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
  const message = ended === undefined ? faultOf(last) : undefined
  const complaint = within.findLastIndex(({ facts }) => faultOf(facts) !== message) + 1
  return {
    name,
    ref,
    from,
    to: (done === -1 ? last : within[done]!.facts).targetVersion ?? versionOf(last),
    started,
    ended,
    state: ended === undefined ? (isOver ? 'unknown' : 'in_progress') : 'succeeded',
    message,
    complained: message === undefined ? undefined : seenMoment(within[complaint]!, within[complaint - 1] ?? before),
  }
}

/** The first known state may be in progress already; then it contains the previous version. */
function observedBefore(facts: OperandFacts | undefined): string | undefined {
  if (facts === undefined) return undefined
  return isMoving(facts) || isDone(facts) ? facts.observedVersion : undefined
}

function versionOf({ observedVersion, operatorVersion }: OperandFacts): string | undefined {
  return observedVersion ?? operatorVersion
}

/** In progress to another version, or to another build of the same one. */
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

/** When Progressing got this status: by its transition time if the status changed in this state. */
function flipTime(
  state: ObjectState<OperandFacts>,
  before: ObjectState<OperandFacts> | undefined,
  status: 'True' | 'False',
): Moment {
  const seen = seenMoment(state, before)
  const progressing = conditionOf(state.facts.conditions, 'Progressing')
  if (progressing?.status !== status || progressing.lastTransitionMs === undefined) return seen
  const known = before === undefined ? undefined : conditionOf(before.facts.conditions, 'Progressing')
  // The same status with a newer time: it changed twice between two observations.
  const isSame = known?.status === status && known.lastTransitionMs === progressing.lastTransitionMs
  if (isSame || (before === undefined && status === 'False')) return seen
  if (before !== undefined && progressing.lastTransitionMs < before.atMs - SAME_WRITE_MS) return seen
  const resolutionSeconds = state.isWatched ? 1 : seen.resolutionSeconds
  return { ...ownMoment(progressing.lastTransitionMs, !state.isWatched), resolutionSeconds }
}

/** A state may be written a little after the condition's time in it. */
const SAME_WRITE_MS = 10_000

/** Conditions that report a fault of an operand, the most severe first. */
const FAULTS: readonly (readonly [type: string, status: string])[] = [
  ['Degraded', 'True'],
  ['Available', 'False'],
  ['ReconcileComplete', 'False'],
  ['Synchronized', 'False'],
  ['Progressing', 'True'],
]

function faultOf(facts: OperandFacts): string | undefined {
  for (const [type, status] of FAULTS) {
    const condition = conditionOf(facts.conditions, type)
    if (condition?.status === status && condition.message !== '') return condition.message
  }
  return undefined
}
