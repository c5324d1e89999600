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

/** Settings that are single values, by name, with their places in v1beta1 and in v1. */
const OTHERS: readonly (readonly [name: string, ...places: readonly (readonly string[])[]])[] = [
  ...['ca.duration', 'ca.renewBefore', 'server.duration', 'server.renewBefore'].map(
    (name) => [`certConfig.${name}`, ...inBoth(['certConfig', ...name.split('.')], 'security')] as const,
  ),
  ['commonBootImageNamespace', ...inBoth(['commonBootImageNamespace'], 'workloadSources')],
  // v1beta1 spells it with a capital letter.
  [
    'commonInstancetypesDeployment',
    ['spec', 'CommonInstancetypesDeployment', 'enabled'],
    ['spec', 'workloadSources', 'commonInstancetypesDeployment', 'enabled'],
  ],
  ['commonTemplatesNamespace', ...inBoth(['commonTemplatesNamespace'], 'workloadSources')],
  [
    'defaultCPUModel',
    ['spec', 'defaultCPUModel'],
    ['spec', 'virtualization', 'virtualMachineOptions', 'defaultCPUModel'],
  ],
  ['enableCommonBootImageImport', ...inBoth(['enableCommonBootImageImport'], 'workloadSources')],
  ['instancetypeReferencePolicy', ...inBoth(['instancetypeConfig', 'referencePolicy'], 'workloadSources')],
  ['memoryOvercommitPercentage', ...inBoth(['higherWorkloadDensity', 'memoryOvercommitPercentage'], 'virtualization')],
  ['scratchSpaceStorageClass', ...inBoth(['scratchSpaceStorageClass'], 'storage')],
  ['vmStateStorageClass', ...inBoth(['vmStateStorageClass'], 'storage')],
]

function inBoth(path: readonly string[], group: string): readonly (readonly string[])[] {
  return [
    ['spec', ...path],
    ['spec', group, ...path],
  ]
}

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
    others: othersOf(object),
    allowedMetrics: textsAt(object, 'spec', 'observability', 'workloads', 'allowedMetrics'),
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

/** `undefined`: none is set. */
function othersOf(object: ObjectValue): HyperConvergedFacts['others'] {
  const set = OTHERS.flatMap(([name, ...places]) => {
    const value = places.map((path) => scalarOf(at(object, ...path))).find((one) => one !== undefined)
    return value === undefined ? [] : [[name, value] as const]
  })
  return set.length === 0 ? undefined : sortedRecord(set)
}

function scalarOf(value: ObjectValue): string | number | boolean | undefined {
  if (typeof value === 'string') return textAt(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

function scalarsOf(value: ObjectValue): Readonly<Record<string, string | number | boolean>> {
  return sortedRecord(
    entriesOf(value).flatMap(({ key, value: item }) => {
      const scalar = scalarOf(item)
      return scalar === undefined ? [] : [[key, scalar] as const]
    }),
  )
}

/** A map of flags in v1beta1; in v1 a list of names, on unless `state` is `Disabled`. */
function featureGatesOf(value: ObjectValue): Readonly<Record<string, boolean>> {
  const flags = entriesOf(value).flatMap(({ key, value: flag }) =>
    typeof flag === 'boolean' ? [[key, flag] as const] : [],
  )
  const named = (listAt(value) ?? []).flatMap((item) => {
    const name = textAt(item, 'name')
    return name === undefined ? [] : [[name, textAt(item, 'state') !== 'Disabled'] as const]
  })
  return sortedRecord([...flags, ...named])
}
