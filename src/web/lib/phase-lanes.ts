import type { UpgradeDetailItem, UpgradeItem, UpgradePhaseItem } from '../../contract/fleet-upgrades.ts'
import { isSubPhase } from './fleet-names.ts'
import { phaseSeconds, TYPICAL_RUNS_MIN } from './phase-heat.ts'

/** The phases of an upgrade as lanes on one time axis, with the typical durations of the edge. Pure. */

type Typical = UpgradeDetailItem['usual'][number]

export interface PhaseLane {
  readonly phase: UpgradePhaseItem
  readonly isSub: boolean
  readonly usual: Typical | undefined
  readonly seconds: number | undefined
  /** Shares of the axis, 0 to 1; absent: not started, or the start is not known. */
  readonly bar?: {
    readonly start: number
    readonly end: number
    readonly isCutBefore: boolean
    readonly isCutAfter: boolean
  }
  /** p50 to p95 from the start of the phase; absent: not known. */
  readonly band?: { readonly start: number; readonly end: number }
  /** From where on the phase is considered stuck; only of the phase of the verdict. */
  readonly threshold?: number
}

interface PhaseLanes {
  readonly lanes: readonly PhaseLane[]
  readonly fromMs: number
  readonly toMs: number
}

/** Approval and workload update may take days, and would leave no room for the other phases. */
const UNBOUNDED = new Set(['offered', 'approval', 'workloads'])
/** Room after the end for the bands. */
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
      its?.p50Seconds == null || its.p95Seconds === null || its.runs < TYPICAL_RUNS_MIN || UNBOUNDED.has(phase.name)
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

/** From the first bounded phase to the last, or to now while the upgrade is in progress. */
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
