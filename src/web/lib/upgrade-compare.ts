import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import { phaseSeconds } from './phase-heat.ts'
import { isSubPhase } from './fleet-names.ts'

export type ComparedPhase = ReturnType<typeof compareUpgrades>['rows'][number]
export type ComparedCell = ComparedPhase['cells'][number]

/** Waiting for an approval is not part of the duration. */
const LEFT_OUT = new Set(['offered', 'approval'])

/** Upgrades beside each other: a row per phase with a cell for each upgrade, aligned by the time since their start. Pure. */
export function compareUpgrades(upgrades: readonly UpgradeItem[], nowMs: number) {
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

/** The duration of a phase, and its start since the start of the upgrade. */
function cellOf(
  upgrade: UpgradeItem,
  name: string,
  nowMs: number,
): { readonly seconds?: number; readonly afterSeconds?: number } {
  const phase = upgrade.phases.find((one) => one.name === name)
  const seconds = phase === undefined ? undefined : phaseSeconds(phase, nowMs)
  if (phase === undefined || seconds === undefined || phase.startedAt === null) return {}
  const beganMs = startOf(upgrade)
  return { seconds, afterSeconds: Math.max(0, (Date.parse(phase.startedAt) - beganMs) / 1000) }
}

function startOf({ phases, startedAt }: UpgradeItem): number {
  const starts = phases
    .filter(({ name, startedAt: at }) => !LEFT_OUT.has(name) && at !== null)
    .map(({ startedAt: at }) => Date.parse(at ?? ''))
  return starts.length > 0 ? Math.min(...starts) : Date.parse(startedAt ?? '')
}
