/** Out-of-band modifications: edits of operands that HCO reverted, and JSON patches in annotations. */
import { firstIndexWhere } from '../../base/first-index.ts'
import type { Modification } from '../../model/cluster-record.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { type ClusterHistory } from './cluster-history.ts'
import { compareTexts } from '../version-order.ts'
import { idOf } from './id.ts'
import { jsonPatchesOf } from './json-patches.ts'
import { outOfBandOf } from './out-of-band.ts'

/** Oldest first; those with an unknown start before all others. */
export function deriveModifications(
  history: ClusterHistory,
  upgrades: readonly UpgradeRecord[],
): readonly Modification[] {
  const ends = endsByStart(upgrades)
  return [...outOfBandOf(history), ...jsonPatchesOf(history)]
    .map((found) => ({
      id: idOf(history.cluster, found.kind, found.component, found.annotation ?? '', found.startedMs ?? ''),
      cluster: history.cluster,
      ...found,
      isUpgradeMode: isWithinAny(ends, found.startedMs),
    }))
    .sort((a, b) => (a.startedMs ?? -Infinity) - (b.startedMs ?? -Infinity) || compareTexts(a.id, b.id))
}

/** During an upgrade HCO writes to its operands, which some versions count as edits by others. */
interface Window {
  readonly fromMs: number
  /** Of an upgrade, or of one that started before. */
  readonly untilMs: number
}

/** By their starts. */
function endsByStart(upgrades: readonly UpgradeRecord[]): readonly Window[] {
  let lastMs = -Infinity
  return upgrades
    .flatMap(upgradeWindow)
    .sort((a, b) => a.fromMs - b.fromMs)
    .map(({ fromMs, untilMs }) => ({ fromMs, untilMs: (lastMs = Math.max(lastMs, untilMs)) }))
}

function upgradeWindow({ upgrade, detail }: UpgradeRecord): readonly Window[] {
  const fromMs = detail.hco?.startedMs ?? upgrade.startedMs
  if (upgrade.operator !== 'kubevirt-hyperconverged' || fromMs === undefined) return []
  const endedMs = detail.hco?.endedMs ?? upgrade.endedMs
  return [{ fromMs, untilMs: endedMs ?? (upgrade.state === 'in_progress' ? Infinity : detail.observedUntilMs) }]
}

function isWithinAny(windows: readonly Window[], timeMs: number | undefined): boolean {
  if (timeMs === undefined) return false
  const last = windows[firstIndexWhere(windows, ({ fromMs }) => fromMs > timeMs) - 1]
  return last !== undefined && timeMs <= last.untilMs
}
