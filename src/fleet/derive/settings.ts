/** The settings of a cluster, without defaults, with the write that set each: of HyperConverged, and default storage classes. */
import { ownValue } from '../../base/own-value.ts'
import type { ClusterSettings, Written } from '../../model/cluster-record.ts'
import type { HyperConvergedFacts, StorageClassFacts } from '../../model/object-facts.ts'
import type { ClusterHistory, ObjectHistory } from './cluster-history.ts'
import { hyperConvergedHistoryOf, sortedByName } from './inventory.ts'
import { presentObjects } from './present.ts'
import { SettingWrites } from './setting-writes.ts'
import { writtenOf } from './written.ts'

/** By the uid of a HyperConverged: the writes of its gates, and of its other settings. */
export type ClusterSettingWrites = ReadonlyMap<string, Readonly<Record<'gates' | 'others', SettingWrites>>>

export function settingWritesOf(history: ClusterHistory): ClusterSettingWrites {
  const gates = { namesOf: ({ featureGates }: HyperConvergedFacts) => Object.keys(featureGates), valueOf: gateOf }
  const writesOf = (own: ObjectHistory<HyperConvergedFacts>) => ({
    gates: new SettingWrites(own, gates),
    others: new SettingWrites(own, { namesOf, valueOf }),
  })
  return new Map(history.of('hyperconvergeds').map((own) => [own.uid, writesOf(own)]))
}

/** @param writes of the same history, or of the whole one of which this is what was known at a past moment */
export function settingsOf(history: ClusterHistory, writes = settingWritesOf(history)): ClusterSettings {
  const own = hyperConvergedHistoryOf(history)
  const storage = storageOf(history)
  const goldenImages = goldenImagesOf(history)
  const facts = own?.states.at(-1)?.facts
  const { apiVersion, workloadUpdateMethods, evictionStrategy, uninstallStrategy, tuningPolicy } = facts ?? {}
  const others = facts && othersOf(facts)
  const { gates, others: ofOthers } = (own && writes.get(own.uid)) ?? {}
  const count = own?.states.length ?? 0
  const gatesWritten = writtenAt(gates, Object.keys(facts?.featureGates ?? {}), count)
  const written = {
    ...writtenAt(ofOthers, ofOthers?.names(count) ?? [], count),
    ...(storage === undefined ? {} : storageWrites(history)),
  }
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(workloadUpdateMethods === undefined ? {} : { workloadUpdateMethods }),
    ...(evictionStrategy === undefined ? {} : { evictionStrategy }),
    ...(uninstallStrategy === undefined ? {} : { uninstallStrategy }),
    liveMigration: sortedByName(facts?.liveMigration ?? {}),
    featureGates: sortedByName(facts?.featureGates ?? {}),
    ...(Object.keys(gatesWritten).length === 0 ? {} : { featureGatesWritten: gatesWritten }),
    ...(tuningPolicy === undefined ? {} : { tuningPolicy }),
    ...(others === undefined || Object.keys(others).length === 0 ? {} : { others }),
    ...(storage === undefined ? {} : { storage }),
    ...(goldenImages === undefined ? {} : { goldenImages }),
    ...(Object.keys(written).length === 0 ? {} : { written: sortedByName(written) }),
  }
}

function othersOf({
  others,
  batchEvictionSize,
  batchEvictionInterval,
}: HyperConvergedFacts): ClusterSettings['others'] {
  return sortedByName({
    ...others,
    ...(batchEvictionSize === undefined ? {} : { batchEvictionSize }),
    ...(batchEvictionInterval === undefined ? {} : { batchEvictionInterval }),
  })
}

const LIVE_MIGRATION = 'liveMigration.'
const OWN_FIELDS = [
  ...(['workloadUpdateMethods', 'evictionStrategy', 'uninstallStrategy', 'tuningPolicy'] as const),
  ...(['batchEvictionSize', 'batchEvictionInterval'] as const),
]

/** Settings but gates that are set. */
function namesOf(facts: HyperConvergedFacts): readonly string[] {
  return [
    ...OWN_FIELDS.filter((name) => facts[name] !== undefined),
    ...Object.keys(facts.liveMigration).map((name) => `${LIVE_MIGRATION}${name}`),
    ...Object.keys(facts.others ?? {}),
  ]
}

function valueOf(facts: HyperConvergedFacts, name: string): unknown {
  if (name.startsWith(LIVE_MIGRATION)) return ownValue(facts.liveMigration, name.slice(LIVE_MIGRATION.length))
  const own = OWN_FIELDS.find((field) => field === name)
  return own === undefined ? ownValue(facts.others ?? {}, name) : facts[own]?.toString()
}

function gateOf({ featureGates }: HyperConvergedFacts, gate: string): unknown {
  return ownValue(featureGates, gate)
}

/** By name, in the order of names. What is removed and set again is written again; what was removed was written then. */
function writtenAt(
  writes: SettingWrites | undefined,
  names: readonly string[],
  states: number,
): Readonly<Record<string, Written>> {
  const all = names.flatMap((name) => {
    const written = writes?.last(name, states)
    return written === undefined ? [] : [[name, written] as const]
  })
  return sortedByName(Object.fromEntries(all))
}

const DEFAULTS = { default: 'isDefault', virtDefault: 'isVirtDefault' } as const

/** Several defaults are possible, and a fault: the first by name counts. */
function storageOf(history: ClusterHistory): ClusterSettings['storage'] {
  const classes = presentObjects(history, 'storageclasses')
  if (classes.length === 0) return undefined
  const nameOf = (field: (typeof DEFAULTS)[keyof typeof DEFAULTS]): string =>
    classes.find(({ facts }) => facts[field])?.name ?? ''
  return { default: nameOf(DEFAULTS.default), virtDefault: nameOf(DEFAULTS.virtDefault) }
}

/** The write that made a class the default, of the class itself. */
function storageWrites(history: ClusterHistory): Readonly<Record<string, Written>> {
  const writes: Record<string, Written> = {}
  for (const [name, field] of [
    ['defaultStorageClass', DEFAULTS.default],
    ['virtDefaultStorageClass', DEFAULTS.virtDefault],
  ] as const) {
    const named = history
      .of('storageclasses')
      .filter(({ gone, states }) => gone === undefined && states.at(-1)!.facts[field])
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))[0]
    if (named === undefined) continue
    const written = writtenOf<StorageClassFacts>(named, (earlier, newest) => earlier[field] === newest[field])
    if (written.sinceMs !== undefined) writes[name] = written
  }
  return writes
}

function goldenImagesOf(history: ClusterHistory): readonly string[] | undefined {
  const crons = presentObjects(history, 'dataimportcrons')
  if (crons.length === 0) return undefined
  return [...new Set(crons.map(({ facts }) => facts.managedDataSource))].filter((name) => name !== '').sort()
}
