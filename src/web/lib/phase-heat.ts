import type { EdgeItem } from '../../contract/fleet-edges.ts'
import type { StuckItem, UpgradeItem, UpgradePhaseItem } from '../../contract/fleet-upgrades.ts'
import { formatLength } from './format-time.ts'
import { PHASE_STATE_WORDS, phaseName } from './fleet-names.ts'

/** Active upgrades as rows of phases, with their durations and the typical ones of the edge. Pure. */

/** The columns: phases without their parts. */
export const HEAT_PHASES = [
  'approval',
  'olm',
  'operands',
  'virt_handler.canary',
  'virt_handler.waves',
  'settle',
  'workloads',
] as const

/** Up to p50 (`quick`), up to p95 (`usual`), longer (`slow`), or without enough runs (`unmeasured`). */
type HeatLevel = 'none' | 'quick' | 'usual' | 'slow' | 'unmeasured'

export interface HeatCell {
  readonly phase: string
  readonly state: UpgradePhaseItem['state'] | 'absent'
  /** Absent: not started, or the start is not known. */
  readonly seconds?: number
  readonly level: HeatLevel
  readonly isStuck: boolean
  /** The content of the cell in words. */
  readonly text: string
}

export interface HeatRow {
  readonly upgrade: UpgradeItem
  readonly verdict: StuckItem | undefined
  readonly cells: readonly HeatCell[]
}

/** The least number of runs for a typical duration. */
export const TYPICAL_RUNS_MIN = 3

interface Typical {
  readonly runs: number
  readonly p50Seconds: number | null
  readonly p95Seconds: number | null
}

/** Stuck upgrades first; the earliest start first within both. */
export function heatRows(
  upgrades: readonly UpgradeItem[],
  stuck: readonly { readonly upgrade: UpgradeItem; readonly verdict: StuckItem }[],
  edges: readonly EdgeItem[],
  nowMs: number,
): readonly HeatRow[] {
  const verdicts = new Map(stuck.map(({ upgrade, verdict }) => [upgrade.id, verdict]))
  const all = new Map([...upgrades, ...stuck.map(({ upgrade }) => upgrade)].map((upgrade) => [upgrade.id, upgrade]))
  const typical = new Map(
    edges.flatMap((edge) => edge.phases.map((phase) => [`${keyOf(edge)} ${phase.phase}`, phase as Typical])),
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
        heatCell(phase, upgrade, verdict, typical.get(`${keyOf(upgrade)} ${phase}`), nowMs),
      ),
    }))
}

function keyOf({ operator, from, to }: Pick<UpgradeItem, 'operator' | 'from' | 'to'> | EdgeItem): string {
  return `${operator} ${from ?? ''} ${to}`
}

function startOf({ startedAt }: UpgradeItem): number {
  return startedAt === null ? 0 : Date.parse(startedAt)
}

function heatCell(
  phase: string,
  upgrade: UpgradeItem,
  verdict: StuckItem | undefined,
  typical: Typical | undefined,
  nowMs: number,
): HeatCell {
  const found = upgrade.phases.find(({ name }) => name === phase)
  const state = found?.state ?? 'absent'
  const stuckIn = verdict?.phase ?? ''
  const isStuck = stuckIn === phase || stuckIn.startsWith(`${phase}.`)
  const seconds = found === undefined ? undefined : phaseSeconds(found, nowMs)
  const level = levelOf(seconds, typical)
  const words = state === 'absent' ? 'not part of this upgrade' : PHASE_STATE_WORDS[state]
  const duration = seconds === undefined ? [] : [formatLength(seconds), typicalText(typical)]
  const text = [`${phaseName(phase)}: ${isStuck ? 'stuck' : words}`, ...duration].join(', ')
  return { phase, state, ...(seconds === undefined ? {} : { seconds }), level, isStuck, text }
}

/** The duration of a phase, so far if it is in progress; `undefined`: not started, or not known. */
export function phaseSeconds({ startedAt, endedAt, state }: UpgradePhaseItem, nowMs: number): number | undefined {
  if (startedAt === null) return undefined
  if (endedAt !== null) return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  return state === 'in_progress' ? Math.max(0, (nowMs - Date.parse(startedAt)) / 1000) : undefined
}

export function levelOf(seconds: number | undefined, typical: Typical | undefined): HeatLevel {
  if (seconds === undefined) return 'none'
  if (typical?.p50Seconds == null || typical.runs < TYPICAL_RUNS_MIN) return 'unmeasured'
  if (seconds <= typical.p50Seconds) return 'quick'
  return typical.p95Seconds === null || seconds <= typical.p95Seconds ? 'usual' : 'slow'
}

export function typicalText(typical: Typical | undefined): string {
  if (typical?.p50Seconds == null || typical.runs < TYPICAL_RUNS_MIN) return 'typical duration not known yet'
  return `typical ${typicalRange(typical.p50Seconds, typical.p95Seconds)} (p50 to p95, ${typical.runs} upgrades on this path)`
}

/** p50 to p95; one duration when both are the same. */
function typicalRange(p50Seconds: number, p95Seconds: number | null): string {
  const [median, most] = [formatLength(p50Seconds), p95Seconds === null ? '' : formatLength(p95Seconds)]
  return most === '' || most === median ? median : `${median} to ${most}`
}
