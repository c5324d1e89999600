/**
 * The part of a record whose past is stored, as single values by key, so that one changed setting is one new period. The two
 * functions are each other's inverse. Pure.
 */
import type { ClusterRecord, ClusterSettings } from '../../model/cluster-record.ts'
import type { StoredValues } from '../../model/cluster-value.ts'
import { compareTexts } from '../version-order.ts'

/** Settings that are maps themselves, each entry a key of its own. */
const SETTING_MAPS = ['liveMigration', 'featureGates', 'featureGatesWritten', 'others', 'written'] as const
const SETTING_FIELDS = [
  'apiVersion',
  'workloadUpdateMethods',
  'evictionStrategy',
  'uninstallStrategy',
  'tuningPolicy',
  'storage',
  'goldenImages',
] as const satisfies readonly (keyof ClusterSettings)[]
const PLAIN_FIELDS = [
  'subscription',
  'systemHealth',
  'isTainted',
  'upgradeable',
  'nodes',
  'goldenImages',
  'descheduler',
  'workloads',
  'hyperConverged',
  'hcoSubscription',
  'telemetryOff',
  'hyperConvergedRemovedMs',
] as const satisfies readonly (keyof StoredValues)[]

const CONDITION = 'condition/'
const POOL = 'pool/'
const SETTINGS = 'settings/'

/** Without what is not reported. */
export function valuesOfRecord(record: Partial<StoredValues>): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>()
  for (const field of PLAIN_FIELDS) if (record[field] !== undefined) values.set(field, record[field])
  for (const { type, ...condition } of record.conditions ?? []) values.set(CONDITION + type, condition)
  for (const { name, ...pool } of record.pools ?? []) values.set(POOL + name, pool)
  const { settings } = record
  if (settings === undefined) return values
  for (const field of SETTING_FIELDS) if (settings[field] !== undefined) values.set(SETTINGS + field, settings[field])
  for (const map of SETTING_MAPS) {
    for (const [name, value] of Object.entries(settings[map] ?? {})) values.set(`${SETTINGS}${map}/${name}`, value)
  }
  return values
}

/** What is in no value is not reported. Lists and maps are in the order of their names. */
export function recordOfValues(values: ReadonlyMap<string, unknown>): StoredValues {
  const plain = Object.fromEntries(
    PLAIN_FIELDS.flatMap((field) => (values.has(field) ? [[field, values.get(field)]] : [])),
  )
  const below = (prefix: string): (readonly [name: string, value: Record<string, unknown>])[] =>
    Array.from(values)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value as Record<string, unknown>] as const)
      .sort(([a], [b]) => compareTexts(a, b))
  return {
    ...plain,
    conditions: below(CONDITION).map(([type, value]) => ({ type, ...value })) as unknown as ClusterRecord['conditions'],
    pools: below(POOL).map(([name, value]) => ({ name, ...value })) as unknown as ClusterRecord['pools'],
    settings: settingsOf(values, below),
  }
}

function settingsOf(
  values: ReadonlyMap<string, unknown>,
  below: (prefix: string) => readonly (readonly [string, unknown])[],
): ClusterSettings {
  const fields = SETTING_FIELDS.flatMap((field) => {
    const key = SETTINGS + field
    return values.has(key) ? [[field, values.get(key)]] : []
  })
  const maps = SETTING_MAPS.flatMap((map) => {
    const entries = below(`${SETTINGS}${map}/`)
    return entries.length === 0 ? [] : [[map, Object.fromEntries(entries)]]
  })
  return { liveMigration: {}, featureGates: {}, ...Object.fromEntries([...fields, ...maps]) } as ClusterSettings
}
