/** Out-of-band modifications: edits of operands that HCO reverted, and JSON patches in annotations. */
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
  const windows = upgrades.map(upgradeWindow)
  return [...outOfBandOf(history), ...jsonPatchesOf(history)]
    .map((found) => ({
      id: idOf(history.cluster, found.kind, found.component, found.annotation ?? '', found.startedMs ?? ''),
      cluster: history.cluster,
      ...found,
      isUpgradeMode: windows.some((window) => contains(window, found.startedMs)),
    }))
    .sort((a, b) => (a.startedMs ?? -Infinity) - (b.startedMs ?? -Infinity) || compareTexts(a.id, b.id))
}

/** During an upgrade HCO writes to its operands, which some versions count as edits by others. */
interface Window {
  readonly fromMs: number | undefined
  readonly untilMs: number
}

function upgradeWindow({ upgrade, detail }: UpgradeRecord): Window {
  if (upgrade.operator !== 'kubevirt-hyperconverged') return { fromMs: undefined, untilMs: 0 }
  const fromMs = detail.hco?.startedMs ?? upgrade.startedMs
  const endedMs = detail.hco?.endedMs ?? upgrade.endedMs
  return { fromMs, untilMs: endedMs ?? (upgrade.state === 'in_progress' ? Infinity : detail.observedUntilMs) }
}

function contains({ fromMs, untilMs }: Window, timeMs: number | undefined): boolean {
  return fromMs !== undefined && timeMs !== undefined && timeMs >= fromMs && timeMs <= untilMs
}
