/** The phases of one attempt, from its objects. */
import type { PhaseName, PhaseState, UpgradeState } from '../../model/upgrade.ts'
import type { ComponentPath } from './component-upgrade.ts'
import { firstSucceeded, phaseTimes, type CsvStep } from './csv-path.ts'
import type { HcoWindow } from './hco-window.ts'
import type { Offer, Plan } from './olm-offer.ts'
import { earliest, latest, type Moment } from './moment.ts'
import type { PhaseDraft } from './upgrade-draft.ts'
import type { Rollout } from './virt-handler-rollout.ts'
import type { WorkloadPhase } from './workload-phase.ts'

export interface PhaseInputs {
  readonly state: UpgradeState
  readonly ended: Moment | undefined
  readonly offer: Offer | undefined
  readonly csvCreated: Moment | undefined
  readonly steps: readonly CsvStep[]
  readonly window: HcoWindow | undefined
  readonly components: readonly ComponentPath[]
  readonly rollout: Rollout | undefined
  /** A missing rollout means that there was none. */
  readonly isHandlerObserved: boolean
  readonly workloads: WorkloadPhase | 'none' | undefined
  /** A later upgrade changed KubeVirt before the workload update ended. */
  readonly isOvertaken: boolean
}

export function hcoPhases(inputs: PhaseInputs): readonly PhaseDraft[] {
  return [
    ...offerPhases(inputs),
    ...olmPhases(inputs),
    ...operandPhases(inputs),
    ...handlerPhases(inputs),
    settlePhase(inputs),
    workloadsPhase(inputs),
  ]
}

/**
 * A phase with these times in an upgrade of this state. A phase that started and did not end is in progress or failed with the
 * upgrade, else unknown. A phase that did not start is pending or skipped.
 */
export function phase(
  name: PhaseName,
  state: UpgradeState,
  started: Moment | undefined,
  ended: Moment | undefined,
  isReported = true,
): PhaseDraft {
  return { name, state: phaseState(state, started, ended, isReported), started, ended }
}

function phaseState(
  state: UpgradeState,
  started: Moment | undefined,
  ended: Moment | undefined,
  isReported: boolean,
): PhaseState {
  if (ended !== undefined) return 'succeeded'
  if (started === undefined) {
    if (!isReported) return 'unknown'
    return state === 'in_progress' ? 'pending' : state === 'succeeded' || state === 'unknown' ? 'unknown' : 'skipped'
  }
  if (state === 'in_progress') return 'in_progress'
  return state === 'succeeded' || state === 'unknown' ? 'unknown' : 'failed'
}

function offerPhases({ offer, state, csvCreated }: PhaseInputs): readonly PhaseDraft[] {
  const plan = offer?.plan
  const isPlanned = plan !== undefined && !isPlanLost(plan, csvCreated)
  const offered = earliest(offer?.offered, plan?.created)
  const planned = isPlanned ? plan.created : offer === undefined ? undefined : csvCreated
  const started = offer?.offered === undefined ? undefined : offered
  const isReported = offer?.offered !== undefined
  const offers = phase(
    'offered',
    state,
    started,
    isReported && planned !== undefined ? latest(planned, started) : undefined,
    isReported,
  )
  return [offers, approvalPhase(offer, state, csvCreated)]
}

/** Nobody can approve a plan that was deleted or has failed before its approval: OLM has to create another one. */
function isPlanLost({ approved, isApprovable }: Plan, csvCreated: Moment | undefined): boolean {
  return csvCreated === undefined && approved === undefined && !isApprovable
}

/** Also automatic approval takes a moment. */
function approvalPhase(offer: Offer | undefined, state: UpgradeState, csvCreated: Moment | undefined): PhaseDraft {
  const plan = offer?.plan
  if (plan === undefined) {
    const isAutomatic = offer?.approval === 'Automatic'
    return { name: 'approval', state: isAutomatic ? 'skipped' : 'unknown' }
  }
  if (isPlanLost(plan, csvCreated)) return { name: 'approval', state: phaseState(state, undefined, undefined, true) }
  // The CSV is created after the approval.
  const approved = csvCreated === undefined ? plan.approved : earliest(plan.approved, csvCreated)
  return phase('approval', state, plan.created, approved)
}

function olmPhases({ steps, state, csvCreated }: PhaseInputs): readonly PhaseDraft[] {
  const isReported = csvCreated !== undefined || state === 'in_progress'
  const succeeded = firstSucceeded(steps)
  const started = earliest(csvCreated, steps[0]?.started)
  const isThrough = succeeded !== undefined
  const sub = (name: PhaseName, csvPhase: 'Pending' | 'InstallReady' | 'Installing'): PhaseDraft => {
    const times = phaseTimes(steps, csvPhase)
    // After success, a step that is missing in the history is not pending.
    if (isThrough && times.started === undefined) return { name, state: 'unknown' }
    return phase(name, state, times.started, times.ended, isReported)
  }
  return [
    phase('olm', state, started, succeeded, isReported),
    sub('olm.pending', 'Pending'),
    sub('olm.install_ready', 'InstallReady'),
    sub('olm.installing', 'Installing'),
  ]
}

function operandPhases({ window, components, state }: PhaseInputs): readonly PhaseDraft[] {
  const moved = components.filter((component) => component.state !== 'skipped' && component.state !== 'pending')
  const started = earliest(window?.started, ...moved.map((component) => component.started))
  const isAllDone = areAllDone(components)
  const lastEnd = latest(...moved.map((component) => component.ended))
  const ended = components.length === 0 ? window?.ended : isAllDone ? latest(lastEnd, started) : undefined
  // In progress without a change: no operand has started yet.
  const isPremature = state === 'in_progress' && moved.length === 0 && components.length > 0
  const drafts = components.map(({ name, started, ended, state }): PhaseDraft => {
    return { name: `operands.${name}`, started, ended, state }
  })
  const isReported = window !== undefined || components.length > 0 || state === 'in_progress'
  return [phase('operands', state, started, isPremature ? undefined : ended, isReported), ...drafts]
}

function areAllDone(components: readonly ComponentPath[]): boolean {
  return components.length > 0 && components.every(({ state }) => state === 'succeeded' || state === 'skipped')
}

export function handlerPhases({
  rollout,
  components,
  state,
  isHandlerObserved,
  ended,
}: Pick<PhaseInputs, 'rollout' | 'components' | 'state' | 'isHandlerObserved' | 'ended'>): readonly PhaseDraft[] {
  const names = ['virt_handler.canary', 'virt_handler.waves'] as const
  if (rollout !== undefined) {
    const isAlone = rollout.desired <= 1
    const canary = phase(names[0], state, rollout.started, rollout.canary)
    const waves = phase(names[1], state, rollout.canary, rollout.ended)
    return [canary, isAlone ? { name: names[1], state: 'skipped' } : waves]
  }
  const kubevirt = components.find(({ name }) => name === 'kubevirt')
  const isOver = ended !== undefined || kubevirt?.ended !== undefined
  // Without a watch, KubeVirt may have rolled it out unobserved.
  const isWatched = kubevirt?.state === 'succeeded' && kubevirt.started?.isReconstructed === false
  const isSkipped = isOver && (kubevirt?.state === 'skipped' || (isHandlerObserved && isWatched))
  const none: PhaseState = isSkipped
    ? 'skipped'
    : state === 'in_progress' && !isOver && isHandlerObserved
      ? 'pending'
      : 'unknown'
  return names.map((name) => ({ name, state: none }))
}

/** From the end of the last operand to HCO's end. */
function settlePhase({ window, components, state }: PhaseInputs): PhaseDraft {
  const isAllDone = areAllDone(components)
  if (components.length === 0) return { name: 'settle', state: state === 'in_progress' ? 'pending' : 'unknown' }
  const hasMoved = components.some(({ ended }) => ended !== undefined)
  const isBegun = isAllDone && (hasMoved || window?.ended !== undefined)
  const started = isBegun ? latest(window?.started, ...components.map(({ ended }) => ended)) : undefined
  const ended = window?.ended
  // Operands of other versions may end after HCO.
  if (started !== undefined && ended !== undefined && ended.atMs < started.atMs)
    return { name: 'settle', state: 'unknown' }
  return phase('settle', state, started, started === undefined ? undefined : ended)
}

export function workloadsPhase({
  workloads,
  components,
  state,
  isOvertaken,
}: Pick<PhaseInputs, 'workloads' | 'components' | 'state' | 'isOvertaken'>): PhaseDraft {
  const kubevirt = components.find(({ name }) => name === 'kubevirt')
  if (workloads === 'none' || kubevirt?.state === 'skipped') return { name: 'workloads', state: 'skipped' }
  if (workloads === undefined) {
    const isToCome = state === 'in_progress' && kubevirt !== undefined
    return { name: 'workloads', state: isToCome ? 'pending' : 'unknown' }
  }
  const { started, ended } = workloads
  if (ended !== undefined) return { name: 'workloads', state: 'succeeded', started, ended }
  return { name: 'workloads', state: isOvertaken ? 'unknown' : 'in_progress', started }
}
