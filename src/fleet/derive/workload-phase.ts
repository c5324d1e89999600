/**
 * The asynchronous phase: virtual machines move to the new launcher, from when KubeVirt is done until none is outdated.
 * The count stands still while the control plane moves (facts 1.2), so nothing before KubeVirt's end counts.
 */
import type { OperandFacts } from '../../model/object-facts.ts'
import type { WorkloadUpdate } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectState } from './cluster-history.ts'
import { isMoving } from './component-upgrade.ts'
import { seenMoment, type Moment } from './moment.ts'
import { workloadUpdateOf } from './workloads.ts'

export interface WorkloadPhase {
  readonly ref: string
  readonly started: Moment
  readonly ended: Moment | undefined
  readonly outdatedAtStart: number
  readonly outdatedNow: number
  readonly progressMs: readonly number[]
}

/**
 * @param kubevirtEnd when KubeVirt had the new version
 * @param untilMs exclusive: KubeVirt moves on to another one
 * @returns `none`: none was outdated; `undefined`: nothing tells
 */
export function workloadPhase(
  history: ClusterHistory,
  kubevirtEnd: Moment,
  untilMs: number,
): WorkloadPhase | 'none' | undefined {
  for (const kubevirt of history.of('kubevirts')) {
    const { states } = kubevirt
    const first = states.findIndex((state) => isCounting(state, kubevirtEnd.atMs, untilMs))
    if (first === -1) continue
    const counting = states.slice(first).filter((state) => isCounting(state, kubevirtEnd.atMs, untilMs))
    const phase = phaseOf(counting, states[first - 1], kubevirtEnd, `kubevirts/${kubevirt.namespace}/${kubevirt.name}`)
    // They may have moved while nobody watched.
    return phase === 'none' && kubevirtEnd.isReconstructed ? undefined : phase
  }
  return undefined
}

function isCounting({ facts, atMs }: ObjectState<OperandFacts>, fromMs: number, untilMs: number): boolean {
  return atMs >= fromMs - SAME_WRITE_MS && atMs < untilMs && !isMoving(facts) && facts.outdatedWorkloads !== undefined
}

/** KubeVirt's end by its condition may be a little before the state that shows it was seen. */
const SAME_WRITE_MS = 1000

/** A list of machines follows the end within this; a count that was 0 for longer stayed 0 because of this upgrade. */
const JUMP_WITHIN_MS = 10 * 60_000

function phaseOf(
  states: readonly ObjectState<OperandFacts>[],
  before: ObjectState<OperandFacts> | undefined,
  kubevirtEnd: Moment,
  ref: string,
): WorkloadPhase | 'none' {
  const jump = states.findIndex(({ facts }) => outdated(facts) > 0)
  if (jump === -1 || states[jump]!.atMs - states[0]!.atMs > JUMP_WITHIN_MS) return 'none'
  const end = states.findIndex(({ facts }, i) => i > jump && outdated(facts) === 0)
  const moment = (i: number): Moment => seenMoment(states[i]!, states[i - 1] ?? before)
  const within = states.slice(jump, end === -1 ? undefined : end + 1)
  return {
    ref,
    started: jump === 0 ? sinceEnd(states[0]!, kubevirtEnd, moment(0)) : moment(jump),
    ended: end === -1 ? undefined : moment(end),
    outdatedAtStart: outdated(states[jump]!.facts),
    outdatedNow: outdated(within.at(-1)!.facts),
    progressMs: progressOf(within),
  }
}

/** Outdated in the first state since KubeVirt's end: they became so in between, which may be long when states were lost. */
function sinceEnd({ atMs }: ObjectState<OperandFacts>, kubevirtEnd: Moment, seen: Moment): Moment {
  const gapSeconds = Math.ceil((atMs - kubevirtEnd.atMs) / 1000)
  return { ...seen, resolutionSeconds: Math.max(seen.resolutionSeconds, gapSeconds) }
}

function outdated({ outdatedWorkloads }: OperandFacts): number {
  return outdatedWorkloads ?? 0
}

/** Each time fewer were outdated than ever before; the jump itself begins it. */
function progressOf(states: readonly ObjectState<OperandFacts>[]): readonly number[] {
  let fewest = Infinity
  return states.flatMap(({ facts, atMs }) => {
    if (outdated(facts) >= fewest) return []
    fewest = outdated(facts)
    return [atMs]
  })
}

/** How the machines move, with the times of the phase. */
export function workloadsOf(
  history: ClusterHistory,
  phase: Omit<WorkloadPhase, 'progressMs' | 'ref'> | 'none' | undefined,
  fromMs: number,
  untilMs: number,
): WorkloadUpdate | undefined {
  const update = workloadUpdateOf(history, { fromMs, ...(untilMs !== Infinity && { untilMs }) })
  if (update === undefined || typeof phase !== 'object') return update
  const { started, ended, outdatedAtStart, outdatedNow } = phase
  const times = { startedMs: started.atMs, ...(ended !== undefined && { endedMs: ended.atMs }) }
  return { ...update, outdatedAtStart, outdatedNow, ...times }
}
