/** The settings of a fleet: which values are in use, on how many clusters, and what each cluster is compared with. Pure. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import { eachInSteps, withoutPause, type Steps } from '../../base/thread-slices.ts'
import { compareTexts } from '../version-order.ts'
import { configurationOf, isOpenName, settingOf, type ConfiguredSetting } from './cluster-configuration.ts'
import { baselineReference, differs, majorityOf, type CountedSetting, type Reference } from './reference.ts'

export interface SettingInUse {
  readonly name: string
  /** Clusters that report it, by value, the most frequent first. Defaults of several versions are values of their own. */
  readonly values: readonly CountedSetting[]
  /** The sum of all values: clusters that report the setting and whose version has it. */
  readonly reporting: number
  /** Absent: there is nothing to compare with. */
  readonly reference?: Reference
  /** Clusters that differ from the reference. */
  readonly outliers: number
}

export interface SettingsInUse {
  /** Clusters that report settings. */
  readonly reporting: number
  /** By name. */
  readonly settings: readonly SettingInUse[]
}

/** @param baseline absent: clusters are compared with what most of them have */
export function settingsInUse(records: Iterable<ClusterRecord>, baseline?: ClusterRecord): SettingsInUse {
  return usesOf(withoutPause(countSettings(records)), baseline)
}

interface Counts {
  readonly reporting: number
  /** Clusters that report the settings of HyperConverged. */
  readonly ofHyperConverged: number
  readonly counts: ReadonlyMap<ConfiguredSetting, number>
}

/** HOT: once per setting of each cluster, which are half a million in a fleet of 10,000. */
export function* countSettings(records: Iterable<ClusterRecord>): Steps<Counts> {
  const counts = new Map<ConfiguredSetting, number>()
  let [reporting, ofHyperConverged] = [0, 0]
  yield* eachInSteps(records, (record) => {
    const configuration = configurationOf(record)
    if (configuration.size === 0) return
    reporting++
    if (record.settings.apiVersion !== undefined) ofHyperConverged++
    for (const setting of configuration.values()) counts.set(setting, (counts.get(setting) ?? 0) + 1)
  })
  return { reporting, ofHyperConverged, counts }
}

export function usesOf({ reporting, ofHyperConverged, counts }: Counts, baseline?: ClusterRecord): SettingsInUse {
  const byName = new Map<string, CountedSetting[]>()
  for (const [setting, clusters] of counts) {
    const of = byName.get(setting.name) ?? []
    of.push({ setting, clusters })
    byName.set(setting.name, of)
  }
  const settings = [...byName]
    .map(([name, values]) =>
      useOf(name, isOpenName(name) ? withNotSet(name, values, ofHyperConverged) : values, baseline),
    )
    .sort((a, b) => compareTexts(a.name, b.name))
  return { reporting, settings }
}

/** Clusters that report HyperConverged without the setting. */
function withNotSet(
  name: string,
  values: readonly CountedSetting[],
  ofHyperConverged: number,
): readonly CountedSetting[] {
  const clusters = ofHyperConverged - values.reduce((sum, one) => sum + one.clusters, 0)
  return clusters <= 0 ? values : [...values, { setting: { name, key: '', isDefault: true }, clusters }]
}

function useOf(name: string, counted: readonly CountedSetting[], baseline: ClusterRecord | undefined): SettingInUse {
  const values = merged(counted).sort(compareCounted)
  const reference = baseline === undefined ? majorityOf(values) : baselineReference(baseline, name)
  const sum = (some: readonly CountedSetting[]): number => some.reduce((total, { clusters }) => total + clusters, 0)
  const outliers = reference === undefined ? [] : values.filter(({ setting }) => differs(setting, reference))
  return { name, values, reporting: sum(values), ...(reference && { reference }), outliers: sum(outliers) }
}

/** A default that HCO wrote and one that nobody set are one value. */
function merged(counted: readonly CountedSetting[]): CountedSetting[] {
  const byValue = new Map<string, CountedSetting>()
  for (const one of counted) {
    const value = `${Number(one.setting.isDefault)}${one.setting.key}`
    const known = byValue.get(value)
    const isFirst = known === undefined || compareTexts(textOf(one), textOf(known)) < 0
    byValue.set(value, {
      setting: isFirst ? one.setting : known.setting,
      clusters: one.clusters + (known?.clusters ?? 0),
    })
  }
  return [...byValue.values()]
}

/** The most frequent first, defaults before chosen values. */
function compareCounted(a: CountedSetting, b: CountedSetting): number {
  const byDefault = Number(b.setting.isDefault) - Number(a.setting.isDefault)
  return b.clusters - a.clusters || byDefault || compareTexts(a.setting.key, b.setting.key)
}

function textOf({ setting }: CountedSetting): string {
  return JSON.stringify(setting)
}

/** By name of the setting. */
export type References = ReadonlyMap<string, Reference>

export function referencesOf({ settings }: SettingsInUse): References {
  return new Map(
    settings.flatMap(({ name, reference }) => (reference === undefined ? [] : [[name, reference] as const])),
  )
}

export interface SettingDifference {
  readonly setting: ConfiguredSetting
  readonly reference: Reference
}

/** By name. */
export function differencesOf(record: ClusterRecord, references: References): readonly SettingDifference[] {
  const found: SettingDifference[] = []
  for (const [name, reference] of references) {
    const setting = settingOf(record, name)
    if (setting !== undefined && differs(setting, reference)) found.push({ setting, reference })
  }
  return found
}

/** The references of a comparison with one cluster: all settings of either. */
export function referencesOfCluster(baseline: ClusterRecord, record: ClusterRecord): References {
  const names = new Set([...configurationOf(baseline).keys(), ...configurationOf(record).keys()])
  return new Map(
    [...names].sort(compareTexts).flatMap((name) => {
      const reference = baselineReference(baseline, name)
      return reference === undefined ? [] : [[name, reference] as const]
    }),
  )
}
