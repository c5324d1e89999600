/** The series of configurations: how many settings of each cluster differ, and the newest changes of those that do. */
import type { Steps } from '../../base/thread-slices.ts'
import { mapInSteps } from '../../base/thread-slices.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { UpgradeSpan } from '../../model/upgrade.ts'
import { writeOfSetting } from '../clusters/setting-defaults.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import { configurationOf } from './cluster-configuration.ts'
import { countSettings, differencesOf, referencesOf, usesOf } from './settings-in-use.ts'

/** When an upgrade changed objects, both inclusive. */
export interface UpgradeWindow {
  readonly fromMs: number
  readonly untilMs: number
}

/** As exact as the times of the upgrade are; of one that ended at an unknown time only its start is known. */
export function upgradeWindow(upgrade: UpgradeSpan): readonly UpgradeWindow[] {
  const { startedMs, endedMs, state, resolutionSeconds } = upgrade
  if (startedMs === undefined) return []
  const untilMs = endedMs ?? (state === 'in_progress' ? Infinity : startedMs)
  return [{ fromMs: startedMs - resolutionSeconds * 1000, untilMs: untilMs + resolutionSeconds * 1000 }]
}

/**
 * Of the baseline cluster alone: a count against the majority would tell a team about clusters that it does not see. So
 * `against` is `baseline`, whichever cluster is chosen.
 *
 * @param baseline absent: none is chosen, or it is not known
 * @param windowsOf the upgrades of a cluster
 */
export function* differenceValues(
  clusters: readonly ClusterRecord[],
  baseline: ClusterRecord | undefined,
  windowsOf: (cluster: string) => readonly UpgradeWindow[],
  nowMs: number,
): Steps<readonly DerivedValue[]> {
  if (baseline === undefined) return []
  const chosen = referencesOf(usesOf(yield* countSettings(clusters), baseline))
  yield
  const values = yield* mapInSteps(clusters, (record): readonly DerivedValue[] => {
    if (configurationOf(record).size === 0) return []
    const labels = { cluster: record.cluster, against: 'baseline' }
    const names = differencesOf(record, chosen).map(({ setting }) => setting.name)
    return [
      // The baseline itself has a series too: 0 shows that it is compared.
      { name: 'daytwo_cluster_configuration_differences', labels, value: names.length },
      ...newestChanges(record, names, windowsOf(record.cluster)).map(({ change, by, atMs }): DerivedValue => {
        const value = Math.max(0, nowMs - atMs) / 1000
        return { name: 'daytwo_cluster_configuration_change_seconds', labels: { ...labels, change, by }, value }
      }),
    ]
  })
  return values.flat()
}

interface SettingChange {
  readonly change: 'in_upgrade' | 'outside_upgrade'
  /** The field manager; empty: not known. */
  readonly by: string
  readonly atMs: number
}

/** At most one of each kind; changes of an unknown time are left out. */
function newestChanges(
  record: ClusterRecord,
  names: readonly string[],
  windows: readonly UpgradeWindow[],
): readonly SettingChange[] {
  const newest = new Map<SettingChange['change'], SettingChange>()
  for (const name of names) {
    const { sinceMs: atMs, by = '' } = writeOfSetting(record, name)
    if (atMs === undefined) continue
    const isInUpgrade = windows.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs <= untilMs)
    const change = isInUpgrade ? 'in_upgrade' : 'outside_upgrade'
    const known = newest.get(change)
    if (known === undefined || atMs > known.atMs) newest.set(change, { change, by, atMs })
  }
  return [...newest.values()]
}
