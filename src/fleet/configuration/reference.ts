/** What a cluster's settings are compared with: those of a chosen baseline cluster, or what most clusters have. Pure. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { ReferenceKind } from '../../model/configuration.ts'
import type { ConfiguredSetting } from './cluster-configuration.ts'
import { settingOf } from './cluster-configuration.ts'

export interface Reference {
  readonly by: ReferenceKind
  /** Of the majority, its most frequent setting. */
  readonly setting: ConfiguredSetting
}

/** Fewer have no majority: two that differ do not show which one is the exception. */
const MAJORITY_OF_MIN = 3

export interface CountedSetting {
  readonly setting: ConfiguredSetting
  readonly clusters: number
}

/**
 * More than half of the clusters that report the setting: those that keep the default of their version count as one value.
 * `undefined`: no value has so many.
 */
export function majorityOf(counts: readonly CountedSetting[]): Reference | undefined {
  const classes = new Map<string, { clusters: number; most: CountedSetting }>()
  let reporting = 0
  for (const count of counts) {
    reporting += count.clusters
    const name = count.setting.isDefault ? '' : `=${count.setting.key}`
    const known = classes.get(name)
    if (known === undefined) classes.set(name, { clusters: count.clusters, most: count })
    else {
      known.clusters += count.clusters
      if (count.clusters > known.most.clusters) known.most = count
    }
  }
  if (reporting < MAJORITY_OF_MIN) return undefined
  for (const { clusters, most } of classes.values()) {
    if (clusters * 2 > reporting) return { by: 'majority', setting: most.setting }
  }
  return undefined
}

/** `undefined`: the baseline does not report the setting, or its version does not have it. */
export function baselineReference(baseline: ClusterRecord, name: string): Reference | undefined {
  const setting = settingOf(baseline, name)
  return setting && { by: 'baseline', setting }
}

/** The majority of a default is one of several defaults, so only the default counts there, not its value. */
export function differs(setting: ConfiguredSetting, { by, setting: reference }: Reference): boolean {
  if (setting.isDefault && reference.isDefault) return false
  if (by === 'majority' && reference.isDefault) return true
  return setting.key !== reference.key
}
