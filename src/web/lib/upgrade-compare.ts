import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import { phaseSeconds } from './phase-heat.ts'
import { isSubPhase } from './fleet-names.ts'

/** Upgrades beside each other, aligned by the time since each began. Pure. */
export interface ComparedUpgrades {
  /** Phases that any of them passed, in their order. */
  readonly rows: readonly ComparedPhase[]
  /** Of the longest. */
  readonly seconds: number
}

export interface ComparedPhase {
  readonly phase: string
  /** One for each upgrade, in their order. */
  readonly cells: readonly ComparedCell[]
  /** Of the longest of them. */
  readonly mostSeconds: number
}

export interface ComparedCell {
  readonly seconds?: number
  /** Since the upgrade began. */
  readonly afterSeconds?: number
}

const LEFT_OUT = new Set(['offered', 'approval'])

export function compareUpgrades(upgrades: readonly UpgradeItem[], nowMs: number): ComparedUpgrades {
  const names = [...new Set(upgrades.flatMap(({ phases }) => phases.map(({ name }) => name)))].filter(
    (name) => !LEFT_OUT.has(name) && !isSubPhase(name),
  )
  const rows = names
    .map((phase) => {
      const cells = upgrades.map((upgrade) => cellOf(upgrade, phase, nowMs))
      return { phase, cells, mostSeconds: Math.max(0, ...cells.map(({ seconds = 0 }) => seconds)) }
    })
    .filter(({ cells }) => cells.some(({ seconds }) => seconds !== undefined))
  const bounded = rows.filter(({ phase }) => phase !== 'workloads')
  const ends = (bounded.length > 0 ? bounded : rows).flatMap(({ cells }) =>
    cells.map(({ seconds = 0, afterSeconds = 0 }) => afterSeconds + seconds),
  )
  return { rows, seconds: Math.max(1, ...ends) }
}

function cellOf(upgrade: UpgradeItem, name: string, nowMs: number): ComparedCell {
  const phase = upgrade.phases.find((one) => one.name === name)
  const seconds = phase === undefined ? undefined : phaseSeconds(phase, nowMs)
  if (phase === undefined || seconds === undefined || phase.startedAt === null) return {}
  const beganMs = startOf(upgrade)
  return { seconds, afterSeconds: Math.max(0, (Date.parse(phase.startedAt) - beganMs) / 1000) }
}

/** Waiting for somebody is no part of how long the machines took. */
function startOf({ phases, startedAt }: UpgradeItem): number {
  const starts = phases
    .filter(({ name, startedAt: at }) => !LEFT_OUT.has(name) && at !== null)
    .map(({ startedAt: at }) => Date.parse(at ?? ''))
  return starts.length > 0 ? Math.min(...starts) : Date.parse(startedAt ?? '')
}
