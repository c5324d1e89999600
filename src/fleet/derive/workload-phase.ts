/**
 * The workload update: VMs migrate to the new launcher, from KubeVirt's end until none is outdated. The count does not change
 * during the update of the control plane (facts 1.2), so only reports after KubeVirt's end count.
 */
import type { OperandFacts } from '../../model/object-facts.ts'
import type { WorkloadUpdate } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectState } from './cluster-history.ts'
import { isMoving } from './component-upgrade.ts'
import { seenMoment, timesOf, type Moment } from './moment.ts'
import { objectsWithin, placesWithin } from './states-in-time.ts'
import { workloadUpdateOf } from './workloads.ts'

export interface WorkloadPhase {
  readonly ref: string
  readonly started: Moment
  readonly ended: Moment | undefined
  readonly outdatedAtStart: number
  readonly outdatedNow: number
  /** Of `outdatedNow`. */
  readonly counted: Moment
  readonly progressMs: readonly number[]
}

/**
 * @param kubevirtEnd when KubeVirt had the new version
 * @param untilMs exclusive: KubeVirt is upgraded again
 * @returns `none`: none was outdated; `undefined`: unknown
 */
export function workloadPhase(
  history: ClusterHistory,
  kubevirtEnd: Moment,
  untilMs: number,
): WorkloadPhase | 'none' | undefined {
  const range = { fromMs: kubevirtEnd.atMs - SAME_WRITE_MS, toMs: untilMs }
  for (const kubevirt of objectsWithin(history.of('kubevirts'), range)) {
    const { states } = kubevirt
    const counting = placesWithin(kubevirt, range).filter((i) => isCounting(states[i]!))
    const [first] = counting
    if (first === undefined) continue
    const phase = phaseOf(
      counting.map((i) => states[i]!),
      states[first - 1],
      kubevirtEnd,
      `kubevirts/${kubevirt.namespace}/${kubevirt.name}`,
    )
    // They may have been updated unobserved.
    return phase === 'none' && kubevirtEnd.isReconstructed ? undefined : phase
  }
  return undefined
}

function isCounting({ facts }: ObjectState<OperandFacts>): boolean {
  return !isMoving(facts) && facts.outdatedWorkloads !== undefined
}

/** KubeVirt's end by its condition may be slightly before the observation of its state. */
const SAME_WRITE_MS = 1000

/** The VMs are counted within this time after the end; a count of 0 for longer means that none was outdated. */
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
  const last = end === -1 ? states.length - 1 : end
  const within = states.slice(jump, last + 1)
  return {
    ref,
    started: jump === 0 ? sinceEnd(states[0]!, kubevirtEnd, moment(0)) : moment(jump),
    ended: end === -1 ? undefined : moment(end),
    outdatedAtStart: outdated(states[jump]!.facts),
    outdatedNow: outdated(states[last]!.facts),
    counted: moment(last),
    progressMs: progressOf(within),
  }
}

/** Outdated in the first state since KubeVirt's end: since some time in between, which may be long when states were lost. */
function sinceEnd({ atMs }: ObjectState<OperandFacts>, kubevirtEnd: Moment, seen: Moment): Moment {
  const gapSeconds = Math.ceil((atMs - kubevirtEnd.atMs) / 1000)
  return { ...seen, resolutionSeconds: Math.max(seen.resolutionSeconds, gapSeconds) }
}

function outdated({ outdatedWorkloads }: OperandFacts): number {
  return outdatedWorkloads ?? 0
}

/** Each time fewer were outdated than before, including the first count. */
function progressOf(states: readonly ObjectState<OperandFacts>[]): readonly number[] {
  let fewest = Infinity
  return states.flatMap(({ facts, atMs }) => {
    if (outdated(facts) >= fewest) return []
    fewest = outdated(facts)
    return [atMs]
  })
}

export function workloadsOf(
  history: ClusterHistory,
  phase: Omit<WorkloadPhase, 'progressMs' | 'ref' | 'counted'> | 'none' | undefined,
  fromMs: number,
  untilMs: number,
): WorkloadUpdate | undefined {
  const update = workloadUpdateOf(history, { fromMs, ...(untilMs !== Infinity && { untilMs }) })
  if (update === undefined || typeof phase !== 'object') return update
  const { outdatedAtStart, outdatedNow } = phase
  return { ...update, outdatedAtStart, outdatedNow, ...timesOf(phase) }
}
