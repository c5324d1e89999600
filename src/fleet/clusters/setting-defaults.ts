/** A cluster's settings with their defaults, which depend on the version of HCO. */
import { ownValue } from '../../base/own-value.ts'
import type { ClusterRecord, ClusterSettings } from '../../model/cluster-record.ts'
import { hcoReleaseOf, type HcoRelease } from '../derive/hco-release.ts'

export type SettingValue = string | number | boolean | readonly string[]

export interface Setting {
  /** `liveMigration.parallelMigrationsPerCluster`, `workloadUpdateMethods`, ... */
  readonly name: string
  /** The value in HyperConverged; absent: not set. */
  readonly set?: SettingValue
  /** Absent: no default, or the version is unknown. */
  readonly default?: SettingValue
}

/** Settings that are set or have a default, by name. */
export function settingsWithDefaults({ settings, hcoVersion }: ClusterRecord): readonly Setting[] {
  const release = hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)
  const migration = release === undefined ? {} : migrationDefaults(release)
  const set: Readonly<Record<string, SettingValue | undefined>> = {
    workloadUpdateMethods: settings.workloadUpdateMethods,
    evictionStrategy: settings.evictionStrategy,
    uninstallStrategy: settings.uninstallStrategy,
    tuningPolicy: settings.tuningPolicy,
    ...prefixed(settings.liveMigration),
  }
  const defaults: Readonly<Record<string, SettingValue | undefined>> = {
    ...(release === undefined ? {} : { workloadUpdateMethods: ['LiveMigrate'] }),
    ...prefixed(migration),
  }
  const names = new Set([...Object.keys(set), ...Object.keys(defaults)])
  return [...names].sort().flatMap((name) => {
    const [value, holds] = [ownValue(set, name), ownValue(defaults, name)]
    if (value === undefined && holds === undefined) return []
    return [
      { name, ...(value === undefined ? {} : { set: value }), ...(holds === undefined ? {} : { default: holds }) },
    ]
  })
}

function prefixed<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`liveMigration.${name}`, value]))
}

/** Defaults of live migration, by release. */
function migrationDefaults({ minor }: HcoRelease): ClusterSettings['liveMigration'] {
  const perGiB = minor >= 19 ? 20 : minor >= 14 ? 150 : 800
  return {
    ...(minor >= 4 ? { completionTimeoutPerGiB: perGiB } : {}),
    parallelMigrationsPerCluster: 5,
    parallelOutboundMigrationsPerNode: minor >= 19 ? 1 : 2,
    progressTimeout: 150,
  }
}
