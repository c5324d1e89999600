/** A cluster's settings with their defaults, which depend on the version of HCO: `data/settings.json`. */
import { ownValue } from '../../base/own-value.ts'
import type { ClusterRecord, ClusterSettings } from '../../model/cluster-record.ts'
import { hcoReleaseOf } from '../derive/hco-release.ts'
import table from '../data/settings.json' with { type: 'json' }

export type SettingValue = string | number | boolean | readonly string[]

export interface Setting {
  /** `liveMigration.parallelMigrationsPerCluster`, `workloadUpdateMethods`, ... */
  readonly name: string
  /** The value in HyperConverged; absent: not set. */
  readonly set?: SettingValue
  /** Absent: no default, or the version is unknown. */
  readonly default?: SettingValue
}

/** The minors of HCO 1.y that have a setting, both inclusive, and its default there. */
interface SettingSpan {
  readonly fromMinor: number
  readonly untilMinor?: number
  readonly default?: SettingValue
}

const SPANS: ReadonlyMap<string, readonly SettingSpan[]> = new Map(
  (table as readonly { readonly name: string; readonly in: readonly SettingSpan[] }[]).map((row) => [row.name, row.in]),
)

export const GATE_PREFIX = 'featureGates.'

/** Whether the table has the setting, in any version. */
export function isKnownSetting(name: string): boolean {
  return SPANS.has(name)
}

/** Settings that are set or have a default, by name; without feature gates, of which a cluster reports its own. */
export function settingsWithDefaults(record: ClusterRecord): readonly Setting[] {
  return allSettings(record).filter(
    ({ name, ...values }) => !name.startsWith(GATE_PREFIX) && ('set' in values || 'default' in values),
  )
}

/**
 * Settings of HyperConverged that the cluster's version has, and others that it sets, by name. One that the table knows, but
 * not in this version, is ignored by HCO and left out. Of an unknown version those that are set. Empty without HyperConverged.
 */
function allSettings(record: ClusterRecord): readonly Setting[] {
  const all = new Map(settingsOfVersion(record).map((setting) => [setting.name, setting]))
  for (const setting of chosenSettings(record, (name) => all.get(name))) all.set(setting.name, setting)
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Versions and numbers of nodes are few; what senders make up beyond is made anew. */
const VERSIONS_MAX = 200
const ofVersions = new Map<string, readonly Setting[]>()

/** As nobody has set them, by name: the same list for each cluster of a version. Empty: the version is not known. */
export function settingsOfVersion(record: ClusterRecord): readonly Setting[] {
  const minor = minorOfRecord(record)
  if (minor === undefined || record.settings.apiVersion === undefined) return []
  const eviction = evictionDefault(record)
  const key = `${minor} ${eviction ?? ''}`
  let settings = ofVersions.get(key)
  if (settings === undefined) {
    settings = [...SPANS].flatMap(([name, spans]): Setting[] => {
      const span = spans.find((one) => isWithin(one, minor))
      const byDefault = name === 'evictionStrategy' ? eviction : span?.default
      return span === undefined ? [] : [{ name, ...(byDefault === undefined ? {} : { default: byDefault }) }]
    })
    if (ofVersions.size < VERSIONS_MAX) ofVersions.set(key, settings)
  }
  return settings
}

/** What the cluster sets and its version does not ignore. @param ofVersion the setting as `settingsOfVersion` has it */
export function chosenSettings(
  record: ClusterRecord,
  ofVersion: (name: string) => Setting | undefined,
): readonly Setting[] {
  const hasMinor = minorOfRecord(record) !== undefined
  const chosen: Setting[] = []
  for (const [name, set] of setValues(record.settings)) {
    const known = ofVersion(name)
    if (known !== undefined)
      chosen.push(known.default === undefined ? { name, set } : { name, set, default: known.default })
    else if (!SPANS.has(name) || !hasMinor) chosen.push({ name, set })
  }
  return chosen
}

function minorOfRecord({ hcoVersion }: ClusterRecord): number | undefined {
  return hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)?.minor
}

function isWithin({ fromMinor, untilMinor = Infinity }: SettingSpan, minor: number): boolean {
  return minor >= fromMinor && minor <= untilMinor
}

/** HCO decides it by the nodes: VMs of a single node have nowhere to go. */
function evictionDefault({ nodes }: ClusterRecord): string | undefined {
  if (nodes === undefined) return undefined
  return nodes.count > 1 ? 'LiveMigrate' : 'None'
}

/** What is set in HyperConverged, by name. */
function setValues(settings: ClusterSettings): ReadonlyMap<string, SettingValue> {
  const { workloadUpdateMethods, evictionStrategy, uninstallStrategy, tuningPolicy } = settings
  const own = { workloadUpdateMethods, evictionStrategy, uninstallStrategy, tuningPolicy }
  const set = new Map<string, SettingValue>()
  for (const [name, value] of Object.entries(own)) if (value !== undefined) set.set(name, value)
  for (const [name, value] of Object.entries(settings.liveMigration)) set.set(`liveMigration.${name}`, value)
  for (const [name, value] of Object.entries(settings.others ?? {})) set.set(name, value)
  for (const [name, value] of Object.entries(settings.featureGates)) set.set(`${GATE_PREFIX}${name}`, value)
  return set
}

/** The write that gave a setting its value, or removed it; empty: not known. */
export function writeOfSetting({ settings }: ClusterRecord, name: string): { sinceMs?: number; by?: string } {
  const written = name.startsWith(GATE_PREFIX)
    ? ownValue(settings.featureGatesWritten ?? {}, name.slice(GATE_PREFIX.length))
    : ownValue(settings.written ?? {}, name)
  return written ?? {}
}
