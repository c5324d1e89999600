import type { HyperConvergedFacts } from '../../model/object-facts.ts'
import { conditionsAt, factsOf } from './facts-of.ts'
import {
  annotationAt,
  at,
  booleanAt,
  entriesOf,
  integerAt,
  listAt,
  sortedRecord,
  textAt,
  textOr,
  textsAt,
  type ObjectValue,
} from './object-value.ts'

/**
 * HyperConverged: v1beta1 has flat settings under `spec`, v1 has groups of settings (`virtualization`, `deployment`,
 * ...). Both become one. Every setting is looked up in all places, so that a setting that moves in a later release is
 * still found; a name means the same in each of them.
 */
const GROUPS: readonly (readonly string[])[] = [['spec'], ['spec', 'virtualization'], ['spec', 'deployment']]

/** The four annotations that patch operands past the API. */
const JSON_PATCHES = [
  'containerizeddataimporter.kubevirt.io/jsonpatch',
  'kubevirt.kubevirt.io/jsonpatch',
  'networkaddonsconfigs.kubevirt.io/jsonpatch',
  'ssp.kubevirt.io/jsonpatch',
]

export function hyperConvergedFacts(object: ObjectValue): HyperConvergedFacts {
  const strategy = settingOf(object, 'workloadUpdateStrategy')
  const status = at(object, 'status')
  return factsOf<HyperConvergedFacts>('hyperconvergeds', object, {
    apiVersion: textOr(object, 'apiVersion'),
    operatorVersion: operatorVersionOf(object),
    conditions: conditionsAt(status, 'conditions'),
    systemHealth: textAt(status, 'systemHealthStatus'),
    generation: integerAt(object, 'metadata', 'generation'),
    observedGeneration: integerAt(status, 'observedGeneration'),
    workloadUpdateMethods: textsAt(strategy, 'workloadUpdateMethods'),
    batchEvictionSize: integerAt(strategy, 'batchEvictionSize'),
    batchEvictionInterval: textAt(strategy, 'batchEvictionInterval'),
    evictionStrategy: textAt(settingOf(object, 'evictionStrategy')),
    uninstallStrategy: textAt(settingOf(object, 'uninstallStrategy')),
    liveMigration: scalarsOf(settingOf(object, 'liveMigrationConfig')),
    featureGates: featureGatesOf(at(object, 'spec', 'featureGates')),
    jsonPatches: sortedRecord(
      JSON_PATCHES.flatMap((name) => {
        const text = annotationAt(object, name)
        return text === undefined ? [] : [[name, text] as const]
      }),
    ),
    tuningPolicy: textAt(settingOf(object, 'tuningPolicy')),
    isInfrastructureHighlyAvailable: booleanAt(status, 'infrastructureHighlyAvailable'),
    dataImportCronTemplates: listAt(status, 'dataImportCronTemplates')?.length,
  })
}

/** Of `status.versions`, the one named `operator`. */
export function operatorVersionOf(object: ObjectValue): string | undefined {
  const version = listAt(object, 'status', 'versions')?.find((item) => textAt(item, 'name') === 'operator')
  return textAt(version, 'version')
}

function settingOf(object: ObjectValue, name: string): ObjectValue {
  for (const group of GROUPS) {
    const value = at(object, ...group, name)
    if (value !== undefined) return value
  }
  return undefined
}

function scalarsOf(value: ObjectValue): Readonly<Record<string, string | number | boolean>> {
  return sortedRecord(
    entriesOf(value).flatMap(({ key, value: item }) => {
      const isScalar = typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean'
      return isScalar ? [[key, item] as const] : []
    }),
  )
}

/** A map of flags in v1beta1; in v1 a list of names, enabled unless `enabled` is `False`. */
function featureGatesOf(value: ObjectValue): Readonly<Record<string, boolean>> {
  const flags = entriesOf(value).flatMap(({ key, value: flag }) =>
    typeof flag === 'boolean' ? [[key, flag] as const] : [],
  )
  const named = (listAt(value) ?? []).flatMap((item) => {
    const name = textAt(item, 'name')
    return name === undefined ? [] : [[name, !isOff(at(item, 'enabled'))] as const]
  })
  return sortedRecord([...flags, ...named])
}

function isOff(enabled: ObjectValue): boolean {
  return enabled === false || enabled === 'False'
}
