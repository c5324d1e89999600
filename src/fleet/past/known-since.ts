import type { Upgrade, UpgradeDetail } from '../../model/upgrade.ts'

/** When anything of the upgrade was first seen. */
export function knownSinceMs({ startedMs, phases, evidence }: Upgrade, detail: UpgradeDetail): number {
  const starts = [startedMs, ...phases.map((phase) => phase.startedMs)].filter((ms) => ms !== undefined)
  if (starts.length > 0) return Math.min(...starts)
  return Math.min(detail.observedUntilMs, ...evidence.map(({ atMs }) => atMs))
}
