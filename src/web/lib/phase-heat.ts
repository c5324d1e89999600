import type { EdgeItem } from '../../contract/fleet-edges.ts'
import type { StuckItem, UpgradeItem, UpgradePhaseItem } from '../../contract/fleet-upgrades.ts'
import { formatLength } from './format-time.ts'
import { PHASE_STATE_WORDS, phaseName } from './fleet-names.ts'

/** Upgrades that run, as rows of phases: how long each has taken, beside what it takes on this edge. Pure. */

/** Columns: the phases an upgrade passes, without their parts. */
export const HEAT_PHASES = [
  'approval',
  'olm',
  'operands',
  'virt_handler.canary',
  'virt_handler.waves',
  'settle',
  'workloads',
] as const

/** `quick`: in half of the runs' time; `usual`: in that of 95 of 100; `slow`: longer; `unmeasured`: too few runs to say. */
export type HeatLevel = 'none' | 'quick' | 'usual' | 'slow' | 'unmeasured'

export interface HeatCell {
  readonly phase: string
  readonly state: UpgradePhaseItem['state'] | 'absent'
  /** Absent: it has not begun, or nobody knows when it did. */
  readonly seconds?: number
  readonly level: HeatLevel
  readonly isStuck: boolean
  /** All that the cell says, in words. */
  readonly text: string
}

export interface HeatRow {
  readonly upgrade: UpgradeItem
  readonly verdict: StuckItem | undefined
  readonly cells: readonly HeatCell[]
}

/** Fewer say nothing of what is usual. */
export const USUAL_RUNS_MIN = 3

export interface Usual {
  readonly runs: number
  readonly p50Seconds: number | null
  readonly p95Seconds: number | null
}

/** Stuck ones first, the longest first among those and among the others. */
export function heatRows(
  upgrades: readonly UpgradeItem[],
  stuck: readonly { readonly upgrade: UpgradeItem; readonly verdict: StuckItem }[],
  edges: readonly EdgeItem[],
  nowMs: number,
): readonly HeatRow[] {
  const verdicts = new Map(stuck.map(({ upgrade, verdict }) => [upgrade.id, verdict]))
  const all = new Map([...upgrades, ...stuck.map(({ upgrade }) => upgrade)].map((upgrade) => [upgrade.id, upgrade]))
  const usual = new Map(
    edges.flatMap((edge) => edge.phases.map((phase) => [`${keyOf(edge)} ${phase.phase}`, phase as Usual])),
  )
  return [...all.values()]
    .map((upgrade) => ({ upgrade, verdict: verdicts.get(upgrade.id) }))
    .sort(
      (a, b) =>
        Number(b.verdict !== undefined) - Number(a.verdict !== undefined) || startOf(a.upgrade) - startOf(b.upgrade),
    )
    .map(({ upgrade, verdict }) => ({
      upgrade,
      verdict,
      cells: HEAT_PHASES.map((phase) =>
        heatCell(phase, upgrade, verdict, usual.get(`${keyOf(upgrade)} ${phase}`), nowMs),
      ),
    }))
}

function keyOf({
  operator,
  from,
  to,
}: {
  readonly operator: string
  readonly from: string | null
  readonly to: string
}) {
  return `${operator} ${from ?? ''} ${to}`
}

function startOf({ startedAt }: UpgradeItem): number {
  return startedAt === null ? 0 : Date.parse(startedAt)
}

function heatCell(
  phase: string,
  upgrade: UpgradeItem,
  verdict: StuckItem | undefined,
  usual: Usual | undefined,
  nowMs: number,
): HeatCell {
  const found = upgrade.phases.find(({ name }) => name === phase)
  const state = found?.state ?? 'absent'
  const stuckIn = verdict?.phase ?? ''
  const isStuck = stuckIn === phase || stuckIn.startsWith(`${phase}.`)
  const seconds = found === undefined ? undefined : phaseSeconds(found, nowMs)
  const level = levelOf(seconds, usual)
  const words = state === 'absent' ? 'not part of it' : PHASE_STATE_WORDS[state]
  const text = [
    `${phaseName(phase)}: ${isStuck ? 'stuck' : words}`,
    ...(seconds === undefined ? [] : [formatLength(seconds)]),
    ...(seconds === undefined ? [] : [usualText(usual)]),
  ].join(', ')
  return { phase, state, ...(seconds === undefined ? {} : { seconds }), level, isStuck, text }
}

/** How long a phase took, or has taken so far; `undefined`: it has not begun, or nobody knows. */
export function phaseSeconds({ startedAt, endedAt, state }: UpgradePhaseItem, nowMs: number): number | undefined {
  if (startedAt === null) return undefined
  if (endedAt !== null) return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  return state === 'in_progress' ? Math.max(0, (nowMs - Date.parse(startedAt)) / 1000) : undefined
}

export function levelOf(seconds: number | undefined, usual: Usual | undefined): HeatLevel {
  if (seconds === undefined) return 'none'
  if (usual?.p50Seconds == null || usual.runs < USUAL_RUNS_MIN) return 'unmeasured'
  if (seconds <= usual.p50Seconds) return 'quick'
  return usual.p95Seconds === null || seconds <= usual.p95Seconds ? 'usual' : 'slow'
}

export function usualText(usual: Usual | undefined): string {
  if (usual?.p50Seconds == null || usual.runs < USUAL_RUNS_MIN) return 'what is usual is not known yet'
  return `usual ${usualRange(usual.p50Seconds, usual.p95Seconds)} (${usual.runs} runs of this edge)`
}

/** From the median to what 95 of 100 take; one length where both are the same. */
function usualRange(p50Seconds: number, p95Seconds: number | null): string {
  const [median, most] = [formatLength(p50Seconds), p95Seconds === null ? '' : formatLength(p95Seconds)]
  return most === '' || most === median ? median : `${median} to ${most}`
}
