import type { UpgradeDetailItem, UpgradeItem, UpgradePhaseItem } from '../../contract/fleet-upgrades.ts'
import { isSubPhase } from './fleet-names.ts'
import { phaseSeconds, USUAL_RUNS_MIN } from './phase-heat.ts'

/** Phases of an upgrade as lanes on one line of time, each beside what the phase takes on its edge. Pure. */

type Usual = UpgradeDetailItem['usual'][number]

export interface PhaseLane {
  readonly phase: UpgradePhaseItem
  readonly isSub: boolean
  readonly usual: Usual | undefined
  readonly seconds: number | undefined
  /** Shares of the line, 0 to 1; absent: it has not begun, or nobody knows when. */
  readonly bar?: {
    readonly start: number
    readonly end: number
    readonly isCutBefore: boolean
    readonly isCutAfter: boolean
  }
  /** From the median to the 95th of 100, measured from where the phase began; absent: not known. */
  readonly band?: { readonly start: number; readonly end: number }
  /** Where it counts as stuck: only of the phase the verdict is about. */
  readonly threshold?: number
}

export interface PhaseLanes {
  readonly lanes: readonly PhaseLane[]
  readonly fromMs: number
  readonly toMs: number
}

/** Waiting for people, and machines that follow: they may take days, and would press all others into nothing. */
const UNBOUNDED = new Set(['offered', 'approval', 'workloads'])
/** Room after the end for what the bands say. */
const MARGIN = 1.06
const LENGTH_MIN_MS = 60_000

export function phaseLanes(detail: UpgradeDetailItem): PhaseLanes {
  const { upgrade, usual, verdict } = detail
  const nowMs = Date.parse(detail.asOf)
  const { fromMs, toMs } = frameOf(upgrade, nowMs)
  const share = (ms: number): number => (ms - fromMs) / (toMs - fromMs)
  const lanes = upgrade.phases.map((phase): PhaseLane => {
    const its = usual.find((one) => one.phase === phase.name)
    const beganMs = phase.startedAt === null ? undefined : Date.parse(phase.startedAt)
    const seconds = phaseSeconds(phase, nowMs)
    const lane = { phase, isSub: isSubPhase(phase.name), usual: its, seconds }
    if (beganMs === undefined || phase.state === 'pending') return lane
    const endMs = phase.endedAt === null ? (phase.state === 'in_progress' ? nowMs : beganMs) : Date.parse(phase.endedAt)
    const band =
      its?.p50Seconds == null || its.p95Seconds === null || its.runs < USUAL_RUNS_MIN || UNBOUNDED.has(phase.name)
        ? undefined
        : { start: clamp(share(beganMs + its.p50Seconds * 1000)), end: clamp(share(beganMs + its.p95Seconds * 1000)) }
    const stalledMs =
      verdict?.phase === phase.name && verdict.stalledSince !== null ? Date.parse(verdict.stalledSince) : undefined
    const deadline =
      stalledMs === undefined || verdict?.baseline == null
        ? undefined
        : share(stalledMs + verdict.baseline.thresholdSeconds * 1000)
    return {
      ...lane,
      bar: {
        start: clamp(share(beganMs)),
        end: clamp(share(endMs)),
        isCutBefore: beganMs < fromMs,
        isCutAfter: endMs > toMs,
      },
      ...(band === undefined ? {} : { band }),
      ...(deadline === undefined || deadline < 0 || deadline > 1 ? {} : { threshold: deadline }),
    }
  })
  return { lanes, fromMs, toMs }
}

/** From the first phase of the machinery to the last, or to now while it runs. */
function frameOf({ phases, startedAt, endedAt, state }: UpgradeItem, nowMs: number): { fromMs: number; toMs: number } {
  const bounded = phases.filter(({ name }) => !UNBOUNDED.has(name))
  const starts = bounded.flatMap((phase) => (phase.startedAt === null ? [] : [Date.parse(phase.startedAt)]))
  const all = phases.flatMap((phase) => (phase.startedAt === null ? [] : [Date.parse(phase.startedAt)]))
  const fallbackMs = startedAt === null ? nowMs - LENGTH_MIN_MS : Date.parse(startedAt)
  const fromMs = starts.length > 0 ? Math.min(...starts) : all.length > 0 ? Math.min(...all) : fallbackMs
  const ends = bounded.flatMap((phase) => (phase.endedAt === null ? [] : [Date.parse(phase.endedAt)]))
  const isOpen = state === 'in_progress' && endedAt === null
  const endMs = isOpen ? nowMs : endedAt === null ? Math.max(fallbackMs, ...ends) : Date.parse(endedAt)
  return { fromMs, toMs: fromMs + Math.max(LENGTH_MIN_MS, (endMs - fromMs) * MARGIN) }
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share))
}
