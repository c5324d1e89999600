import type { ObjectFacts, ObjectKind } from '../../../src/model/object-facts.ts'
import type { FieldManager } from '../../../src/model/observation.ts'
import type { Body, Manifest } from './body.ts'
import { hyperConvergedBody } from './hyperconverged.ts'
import {
  catalogSourceBody,
  csvBody,
  installPlanBody,
  operatorConditionBody,
  operatorGroupBody,
  subscriptionBody,
} from './olm.ts'
import { cdiBody, kubevirtBody } from './operands.ts'
import { clusterOperatorBody, clusterVersionBody, machineConfigPoolBody, nodeBody } from './platform.ts'
import { time } from './time.ts'
import { daemonSetBody, dataImportCronBody, eventBody, migrationBody } from './workloads.ts'

interface KindWriter<F extends ObjectFacts> {
  readonly apiVersion: string
  readonly kind: string
  readonly body: (facts: F) => Body
}

export interface ObjectIdentity {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly resourceVersion: string
  readonly manager: FieldManager
}

/** Kinds the simulated fleet has. */
const WRITERS = {
  clusterserviceversions: kind('operators.coreos.com/v1alpha1', 'ClusterServiceVersion', csvBody),
  subscriptions: kind('operators.coreos.com/v1alpha1', 'Subscription', subscriptionBody),
  installplans: kind('operators.coreos.com/v1alpha1', 'InstallPlan', installPlanBody),
  operatorconditions: kind('operators.coreos.com/v2', 'OperatorCondition', operatorConditionBody),
  catalogsources: kind('operators.coreos.com/v1alpha1', 'CatalogSource', catalogSourceBody),
  operatorgroups: kind('operators.coreos.com/v1', 'OperatorGroup', operatorGroupBody),
  hyperconvergeds: kind('hco.kubevirt.io/v1beta1', 'HyperConverged', hyperConvergedBody),
  kubevirts: kind('kubevirt.io/v1', 'KubeVirt', kubevirtBody),
  cdis: kind('cdi.kubevirt.io/v1beta1', 'CDI', cdiBody),
  ssps: kind('ssp.kubevirt.io/v1beta3', 'SSP', cdiBody),
  networkaddonsconfigs: kind('networkaddonsoperator.network.kubevirt.io/v1', 'NetworkAddonsConfig', cdiBody),
  daemonsets: kind('apps/v1', 'DaemonSet', daemonSetBody),
  virtualmachineinstancemigrations: kind('kubevirt.io/v1', 'VirtualMachineInstanceMigration', migrationBody),
  dataimportcrons: kind('cdi.kubevirt.io/v1beta1', 'DataImportCron', dataImportCronBody),
  machineconfigpools: kind('machineconfiguration.openshift.io/v1', 'MachineConfigPool', machineConfigPoolBody),
  clusterversions: kind('config.openshift.io/v1', 'ClusterVersion', clusterVersionBody),
  clusteroperators: kind('config.openshift.io/v1', 'ClusterOperator', clusterOperatorBody),
  nodes: kind('v1', 'Node', nodeBody),
  events: kind('v1', 'Event', eventBody),
} as const

function kind<F extends ObjectFacts>(apiVersion: string, name: string, body: (facts: F) => Body): KindWriter<F> {
  return { apiVersion, kind: name, body }
}

export type WrittenKind = keyof typeof WRITERS

/** @throws RangeError for a kind that the simulated fleet has none of */
export function manifestOf(identity: ObjectIdentity, facts: ObjectFacts): Manifest {
  const writer = (WRITERS as Partial<Record<ObjectKind, KindWriter<never>>>)[facts.kind]
  if (writer === undefined) throw new RangeError(`the simulated fleet has no ${facts.kind}`)
  const { labels, annotations, generation, generateName, rest } = writer.body(facts as never)
  return {
    // HyperConverged has two served versions; it says itself which it was read in.
    apiVersion: 'apiVersion' in facts ? facts.apiVersion : writer.apiVersion,
    kind: writer.kind,
    metadata: {
      name: identity.name,
      ...(generateName === undefined ? {} : { generateName }),
      ...(identity.namespace === '' ? {} : { namespace: identity.namespace }),
      uid: identity.uid,
      resourceVersion: identity.resourceVersion,
      ...(generation === undefined ? {} : { generation }),
      ...(facts.createdMs === undefined ? {} : { creationTimestamp: time(facts.createdMs) }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      managedFields: [
        {
          manager: identity.manager.name,
          operation: identity.manager.operation,
          ...(identity.manager.subresource === '' ? {} : { subresource: identity.manager.subresource }),
          apiVersion: writer.apiVersion,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:status': {} },
        },
      ],
    },
    ...rest,
  }
}
