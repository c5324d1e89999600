/** Settings that the owners of a few clusters changed: known differences, for holding a comparison of the fleet against them. */
import type { FieldManager } from '../../../src/model/observation.ts'
import { randomOf } from '../../random.ts'
import { HOUR_MS } from '../../scenarios/window.ts'
import type { ClusterHistory } from '../cluster-history.ts'
import { ownerOf } from '../managers.ts'

type Value = string | number | boolean

interface Plant {
  /** By the names of `src/fleet/data/settings.json`. */
  readonly setting: string
  readonly value: Value
  /** The minor that brings the setting. */
  readonly since: number
  /** Share of the clusters. */
  readonly share: number
}

const PLANTS: readonly Plant[] = [
  { setting: 'certConfig.server.duration', value: '720h0m0s', since: 4, share: 0.05 },
  { setting: 'commonInstancetypesDeployment', value: false, since: 15, share: 0.06 },
  { setting: 'enableCommonBootImageImport', value: false, since: 15, share: 0.04 },
  { setting: 'liveMigration.bandwidthPerMigration', value: '64Mi', since: 5, share: 0.07 },
  { setting: 'memoryOvercommitPercentage', value: 150, since: 12, share: 0.03 },
]

/** The owner of a cluster sets a setting otherwise than its default. */
export interface SettingWrite {
  readonly atMs: number
  readonly setting: string
  readonly value: Value
  readonly by: FieldManager
}

const WITHIN_MS = 300 * 24 * HOUR_MS

/** In whole seconds, after the version that has the setting. Drawn apart, so that nothing else of a cluster moves. */
export function settingWrites(
  history: Pick<ClusterHistory, 'profile' | 'installedMs' | 'firstCsv' | 'upgrades'>,
): readonly SettingWrite[] {
  const { profile, installedMs, firstCsv, upgrades } = history
  return PLANTS.flatMap(({ setting, value, since, share }): SettingWrite[] => {
    const random = randomOf(profile.seed, 'planted', setting)
    if (!random.chance(share)) return []
    const reached = upgrades.filter(({ to }) => to.minor >= since).map(({ endMs }) => endMs)
    const hadMs = firstCsv.release.minor >= since ? installedMs : Math.min(Infinity, ...reached)
    const atMs = hadMs + random.int(HOUR_MS, WITHIN_MS)
    if (!Number.isFinite(atMs)) return []
    return [{ atMs: Math.floor(atMs / 1000) * 1000, setting, value, by: ownerOf(profile, setting) }]
  })
}
