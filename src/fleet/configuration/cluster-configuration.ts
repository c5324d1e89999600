/**
 * The configuration of one cluster, as it is compared with others. Values of two versions are compared by what they mean:
 *
 * - A value that equals the default of its version is that default, whether HCO wrote it or nobody did: HCO writes defaults into
 *   its object, so a set value does not show that a user chose it.
 * - Two clusters that keep the defaults of their versions agree, also where these defaults differ.
 * - Otherwise they agree when the values in effect are equal (not where most clusters keep defaults: `reference.ts`).
 * - A setting that a version does not have is not compared.
 *
 * Pure. Equal settings are one object, and the configuration of a record is made once: a fleet of 10,000 has some hundred
 * different settings.
 */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import {
  chosenSettings,
  isKnownSetting,
  settingsOfVersion,
  type Setting,
  type SettingValue,
} from '../clusters/setting-defaults.ts'

export interface ConfiguredSetting extends Setting {
  /** By which values in effect are compared; empty: not set, and no default is known. */
  readonly key: string
  /** Not set, or set to the default of the version. */
  readonly isDefault: boolean
}

/** By name, in no order; empty: the cluster reports no settings. */
export type ClusterConfiguration = ReadonlyMap<string, ConfiguredSetting>

export function valueOf(setting: Setting): SettingValue | undefined {
  return setting.set ?? setting.default
}

/** Settings that are not of HyperConverged: each cluster that reports their objects has them. */
const OF_CLUSTER = ['defaultStorageClass', 'virtDefaultStorageClass', 'goldenImages'] as const

const known = new WeakMap<ClusterRecord, ClusterConfiguration>()
/** By the list of the version. */
const ofVersions = new WeakMap<readonly Setting[], ClusterConfiguration>()

export function configurationOf(record: ClusterRecord): ClusterConfiguration {
  let configuration = known.get(record)
  if (configuration === undefined) {
    const unset = unsetOf(settingsOfVersion(record))
    const made = new Map(unset)
    const chosen = [...chosenSettings(record, (name) => unset.get(name)), ...ofCluster(record)]
    for (const setting of chosen) made.set(setting.name, interned(setting))
    configuration = made
    known.set(record, configuration)
  }
  return configuration
}

function unsetOf(settings: readonly Setting[]): ClusterConfiguration {
  let unset = ofVersions.get(settings)
  if (unset === undefined) {
    unset = new Map(settings.map((setting) => [setting.name, interned(setting)]))
    ofVersions.set(settings, unset)
  }
  return unset
}

function ofCluster({ settings: { storage, goldenImages } }: ClusterRecord): readonly Setting[] {
  return [
    ...(storage === undefined ? [] : [named('defaultStorageClass', storage.default)]),
    ...(storage === undefined ? [] : [named('virtDefaultStorageClass', storage.virtDefault)]),
    ...(goldenImages === undefined ? [] : [named('goldenImages', goldenImages)]),
  ]
}

function named(name: (typeof OF_CLUSTER)[number], set: SettingValue): Setting {
  return set === '' ? { name } : { name, set }
}

/**
 * A setting of a cluster that reports the settings of HyperConverged; `undefined`: its version does not have it. A gate that no
 * table knows, and that the cluster does not set, is not set.
 */
export function settingOf(record: ClusterRecord, name: string): ConfiguredSetting | undefined {
  const setting = configurationOf(record).get(name)
  if (setting !== undefined || !isOpenName(name) || record.settings.apiVersion === undefined) return setting
  return interned({ name })
}

/** Whether clusters that do not set it have it nevertheless: no table says which versions have it. */
export function isOpenName(name: string): boolean {
  return !isKnownSetting(name) && !(OF_CLUSTER as readonly string[]).includes(name)
}

/** Values are texts of senders; what is beyond is made anew. */
const INTERNED_MAX = 50_000
const internedSettings = new Map<string, ConfiguredSetting>()

function interned(setting: Setting): ConfiguredSetting {
  const text = JSON.stringify([setting.name, setting.set, setting.default])
  let one = internedSettings.get(text)
  if (one === undefined) {
    const key = keyOf(setting.name, valueOf(setting))
    const isDefault =
      setting.set === undefined || (setting.default !== undefined && key === keyOf(setting.name, setting.default))
    one = { ...setting, key, isDefault }
    if (internedSettings.size < INTERNED_MAX) internedSettings.set(text, one)
  }
  return one
}

/** The order of a list does not matter, and a duration has several texts: `48h` is `48h0m0s`. */
function keyOf(name: string, value: SettingValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'object') return JSON.stringify([...value].sort())
  const seconds =
    typeof value === 'string' && /duration|renewBefore|interval/i.test(name) ? goSeconds(value) : undefined
  return JSON.stringify(seconds ?? value)
}

/** The whole seconds of a duration of Go in hours, minutes and seconds; `undefined`: another text. */
function goSeconds(text: string): number | undefined {
  const parts = /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/.exec(text)
  if (parts === null || text === '') return undefined
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part: string | undefined) => Number(part ?? 0))
  return hours * 3600 + minutes * 60 + seconds
}
