import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import { isOpen } from './upgrade-bands.ts'

/** The time in which an upgrade ran, as far as it is known. Pure. */
export interface UpgradeWindow {
  readonly fromMs: number
  /** `undefined`: it still runs. Where the end is not known, the last moment that any of its phases tells of. */
  readonly toMs: number | undefined
  readonly isEndKnown: boolean
}

/** `undefined`: nobody knows when it began. */
export function upgradeWindow({ startedAt, endedAt, state, phases }: UpgradeItem): UpgradeWindow | undefined {
  if (startedAt === null) return undefined
  const fromMs = Date.parse(startedAt)
  if (endedAt !== null) return { fromMs, toMs: Date.parse(endedAt), isEndKnown: true }
  if (isOpen(state)) return { fromMs, toMs: undefined, isEndKnown: true }
  const told = phases.flatMap((phase) => [phase.startedAt, phase.endedAt]).filter((at) => at !== null)
  return { fromMs, toMs: Math.max(fromMs, ...told.map((at) => Date.parse(at))), isEndKnown: false }
}
