import type { HyperConvergedFacts } from '../../../src/model/object-facts.ts'
import type { JsonValue } from '../../../src/wire/otlp/logs-encode.ts'
import type { Body, Manifest } from './body.ts'
import { conditionsOf } from './time.ts'

/** Both served versions: v1beta1 has its settings flat, v1 in groups. */
export function hyperConvergedBody(facts: HyperConvergedFacts): Body {
  const isV1 = facts.apiVersion.endsWith('/v1')
  return {
    ...(facts.generation === undefined ? {} : { generation: facts.generation }),
    annotations: { ...facts.jsonPatches },
    rest: {
      spec: {
        ...(isV1 ? withOthers(v1Spec(facts), facts, 1) : withOthers(flatSpec(facts), facts, 0)),
        ...(facts.allowedMetrics === undefined
          ? {}
          : { observability: { workloads: { allowedMetrics: facts.allowedMetrics } } }),
      },
      status: {
        conditions: conditionsOf(facts.conditions),
        observedGeneration: facts.observedGeneration,
        systemHealthStatus: facts.systemHealth,
        versions: facts.operatorVersion === undefined ? [] : [{ name: 'operator', version: facts.operatorVersion }],
        relatedObjects: [{ apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', name: 'kubevirt-kubevirt-hyperconverged' }],
        ...(facts.isInfrastructureHighlyAvailable === undefined
          ? {}
          : { infrastructureHighlyAvailable: facts.isInfrastructureHighlyAvailable }),
      },
    },
  }
}

function strategyOf(facts: HyperConvergedFacts): Manifest {
  return {
    workloadUpdateMethods: facts.workloadUpdateMethods,
    batchEvictionSize: facts.batchEvictionSize,
    batchEvictionInterval: facts.batchEvictionInterval,
  }
}

/** The places of further settings, in v1beta1 and in v1. */
const PLACES = new Map<string, readonly [flat: readonly string[], grouped: readonly string[]]>([
  [
    'certConfig.server.duration',
    [
      ['certConfig', 'server', 'duration'],
      ['security', 'certConfig', 'server', 'duration'],
    ],
  ],
  [
    'commonInstancetypesDeployment',
    [
      ['CommonInstancetypesDeployment', 'enabled'],
      ['workloadSources', 'commonInstancetypesDeployment', 'enabled'],
    ],
  ],
  [
    'enableCommonBootImageImport',
    [['enableCommonBootImageImport'], ['workloadSources', 'enableCommonBootImageImport']],
  ],
  [
    'memoryOvercommitPercentage',
    [
      ['higherWorkloadDensity', 'memoryOvercommitPercentage'],
      ['virtualization', 'higherWorkloadDensity', 'memoryOvercommitPercentage'],
    ],
  ],
])

function withOthers(spec: Manifest, { others = {} }: HyperConvergedFacts, layout: 0 | 1): Manifest {
  let whole = spec
  for (const [name, value] of Object.entries(others)) {
    const place = PLACES.get(name)
    if (place === undefined) throw new RangeError(`no place of the setting ${name} is written down`)
    whole = withValue(whole, place[layout], value)
  }
  return whole
}

function withValue(spec: Manifest, [key, ...rest]: readonly string[], value: JsonValue): Manifest {
  if (key === undefined) return spec
  const inner = (new Map(Object.entries(spec)).get(key) ?? {}) as Manifest
  return { ...spec, [key]: rest.length === 0 ? value : withValue(inner, rest, value) }
}

function flatSpec(facts: HyperConvergedFacts): Manifest {
  return {
    featureGates: facts.featureGates,
    liveMigrationConfig: facts.liveMigration,
    workloadUpdateStrategy: strategyOf(facts),
    evictionStrategy: facts.evictionStrategy,
    uninstallStrategy: facts.uninstallStrategy,
    infra: {},
    workloads: {},
  }
}

function v1Spec(facts: HyperConvergedFacts): Manifest {
  const featureGates: readonly JsonValue[] = Object.entries(facts.featureGates).map(([name, isOn]) =>
    isOn ? { name } : { name, state: 'Disabled' },
  )
  return {
    featureGates,
    virtualization: {
      liveMigrationConfig: facts.liveMigration,
      workloadUpdateStrategy: strategyOf(facts),
      evictionStrategy: facts.evictionStrategy,
    },
    deployment: { uninstallStrategy: facts.uninstallStrategy },
  }
}
