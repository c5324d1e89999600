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
      spec: isV1 ? v1Spec(facts) : flatSpec(facts),
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
    isOn ? { name } : { name, enabled: 'False' },
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
