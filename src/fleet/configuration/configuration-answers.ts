/** What routes ask about configurations, from the index of a moment. Pure. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { ConfigurationBaseline, ReferenceKind } from '../../model/configuration.ts'
import { fitsFilter, shownVersion, type ClusterFilter } from '../clusters/cluster-filter.ts'
import type { FleetIndex } from '../clusters/fleet-index.ts'
import { writeOfSetting, type SettingValue } from '../clusters/setting-defaults.ts'
import { compareTexts } from '../version-order.ts'
import { configurationOf, settingOf, valueOf, type ConfiguredSetting } from './cluster-configuration.ts'
import { differs, type Reference } from './reference.ts'
import {
  differencesOf,
  referencesOf,
  referencesOfCluster,
  settingsInUse,
  type SettingInUse,
  type SettingsInUse,
} from './settings-in-use.ts'

type ConfigurationIndex = Pick<FleetIndex, 'active' | 'baseline' | 'cluster'>

export interface ConfigurationQuery {
  readonly filter: Omit<ClusterFilter, 'states'>
  /** Compare with the majority, also where a baseline is chosen. */
  readonly isMajority?: boolean
  /** Of one setting: only clusters that differ. */
  readonly isOutliersOnly?: boolean
}

export interface FleetConfiguration extends SettingsInUse {
  /** Clusters that match the filter, reporting or not. */
  readonly clusters: number
  /** Absent: none is chosen. */
  readonly baseline?: ConfigurationBaseline
  /** Clusters with at least one difference. */
  readonly differing: number
}

export function fleetConfiguration(
  index: ConfigurationIndex,
  query: ConfigurationQuery,
  nowMs: number,
): FleetConfiguration {
  const records = recordsOf(index, query, nowMs)
  const baseline = index.baseline()
  const uses = settingsInUse(records, baselineOf(index, query, nowMs))
  const references = referencesOf(uses)
  const differing = records.filter((record) => differencesOf(record, references).length > 0).length
  return { ...uses, clusters: records.length, ...(baseline && { baseline }), differing }
}

export interface SettingCluster {
  readonly cluster: string
  readonly version?: string
  readonly setting: ConfiguredSetting
  readonly isOutlier: boolean
  readonly sinceMs?: number
  readonly by?: string
}

export interface SettingDetail {
  readonly use: SettingInUse
  readonly baseline?: ConfigurationBaseline
  /** Clusters that match the filter, reporting or not. */
  readonly known: number
  /** Outliers first, then by name. */
  readonly clusters: readonly SettingCluster[]
}

export function settingDetail(
  index: ConfigurationIndex,
  name: string,
  query: ConfigurationQuery,
  nowMs: number,
): SettingDetail | undefined {
  const records = recordsOf(index, query, nowMs)
  const baseline = index.baseline()
  const uses = settingsInUse(records, baselineOf(index, query, nowMs))
  const use = uses.settings.find((one) => one.name === name)
  if (use === undefined) return undefined
  const clusters = records.flatMap((record): SettingCluster[] => {
    const setting = settingOf(record, name)
    if (setting === undefined) return []
    const version = shownVersion(record)
    const isOutlier = use.reference !== undefined && differs(setting, use.reference)
    const { cluster } = record
    return [
      { cluster, ...(version === undefined ? {} : { version }), setting, isOutlier, ...writeOfSetting(record, name) },
    ]
  })
  clusters.sort((a, b) => Number(b.isOutlier) - Number(a.isOutlier) || compareTexts(a.cluster, b.cluster))
  const shown = query.isOutliersOnly === true ? clusters.filter(({ isOutlier }) => isOutlier) : clusters
  return { use, ...(baseline && { baseline }), known: records.length, clusters: shown }
}

export interface ClusterDifference {
  readonly name: string
  readonly value?: SettingValue
  readonly isDefault: boolean
  /** Of the reference. */
  readonly expected?: SettingValue
  readonly isExpectedDefault: boolean
  readonly sinceMs?: number
  readonly by?: string
}

export type ClusterDifferences =
  | { readonly kind: 'unknown_cluster'; readonly name: string }
  | {
      readonly kind: 'compared'
      readonly cluster: string
      readonly against: ReferenceKind | 'cluster'
      /** The cluster that it is compared with; absent: the majority. */
      readonly reference?: string
      /** Settings of the cluster that could be compared; 0: it, or the other one, reports none. */
      readonly compared: number
      readonly differences: readonly ClusterDifference[]
    }

export function clusterDifferences(
  index: ConfigurationIndex,
  name: string,
  against: string | undefined,
  nowMs: number,
): ClusterDifferences {
  const record = index.cluster(name, nowMs)?.record
  if (record === undefined) return { kind: 'unknown_cluster', name }
  const chosen = against ?? index.baseline()?.cluster
  const other = chosen === undefined ? undefined : index.cluster(chosen, nowMs)?.record
  if (against !== undefined && other === undefined) return { kind: 'unknown_cluster', name: against }
  const references =
    other === undefined
      ? referencesOf(settingsInUse(recordsOf(index, { filter: {} }, nowMs)))
      : referencesOfCluster(other, record)
  const { cluster } = record
  const compared = [...references.keys()].filter((setting) => settingOf(record, setting) !== undefined).length
  return {
    kind: 'compared',
    cluster,
    against: against !== undefined ? 'cluster' : other === undefined ? 'majority' : 'baseline',
    ...(other && { reference: other.cluster }),
    compared,
    differences: differencesOf(record, references).map(({ setting, reference }) =>
      differenceOf(record, setting, reference),
    ),
  }
}

function differenceOf(record: ClusterRecord, setting: ConfiguredSetting, reference: Reference): ClusterDifference {
  const [value, expected] = [valueOf(setting), valueOf(reference.setting)]
  return {
    name: setting.name,
    ...(value === undefined ? {} : { value }),
    isDefault: setting.isDefault,
    ...(expected === undefined ? {} : { expected }),
    isExpectedDefault: reference.setting.isDefault,
    ...writeOfSetting(record, setting.name),
  }
}

/** What is known of a cluster's virtualization stack; small, because all clusters cross threads. */
export type ClusterStack = Pick<ClusterRecord, 'cluster' | 'machineTypes' | 'apiClients'> & {
  readonly kubevirt?: string
  readonly isOpenshift: boolean
}

/** Of clusters that are not gone. */
export function clusterStacks(index: Pick<FleetIndex, 'active'>, nowMs: number): readonly ClusterStack[] {
  const stacks: ClusterStack[] = []
  for (const { record } of index.active(nowMs)) {
    if (record === undefined) continue
    const { cluster, machineTypes, apiClients, platform, versions } = record
    const kubevirt = versions['kubevirt']
    stacks.push({
      cluster,
      isOpenshift: platform?.kind === 'openshift',
      ...(kubevirt === undefined ? {} : { kubevirt }),
      ...(machineTypes === undefined ? {} : { machineTypes }),
      ...(apiClients === undefined ? {} : { apiClients }),
    })
  }
  return stacks
}

/** Clusters that are not gone and match. */
function recordsOf(index: ConfigurationIndex, { filter }: ConfigurationQuery, nowMs: number): readonly ClusterRecord[] {
  const records: ClusterRecord[] = []
  for (const { record } of index.active(nowMs))
    if (record !== undefined && fitsFilter(record, filter)) records.push(record)
  return records
}

/** A baseline that reports no settings is none. */
function baselineOf(
  index: ConfigurationIndex,
  { isMajority }: ConfigurationQuery,
  nowMs: number,
): ClusterRecord | undefined {
  const chosen = isMajority === true ? undefined : index.baseline()
  const record = chosen && index.cluster(chosen.cluster, nowMs)?.record
  return record !== undefined && configurationOf(record).size > 0 ? record : undefined
}
