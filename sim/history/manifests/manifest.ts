import type { ObjectFacts, ObjectKind } from '../../../src/model/object-facts.ts'
import type { FieldManager } from '../../../src/model/observation.ts'
import { managerOf } from '../managers.ts'
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
  /** When `manager` wrote it. */
  readonly writtenMs: number
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

interface WriterEntry {
  readonly manager: FieldManager
  readonly timeMs: number
}

/** As an API server sorts them, oldest first: whoever wrote the status last, and whoever wrote this state. */
function writersOf({ manager, writtenMs }: ObjectIdentity, facts: ObjectFacts): readonly WriterEntry[] {
  const newest = { manager, timeMs: writtenMs }
  const status = managerOf(facts.kind)
  if (manager.subresource === status.subresource || facts.createdMs === undefined) return [newest]
  return [{ manager: status, timeMs: Math.min(facts.createdMs, writtenMs) }, newest]
}

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
      managedFields: writersOf(identity, facts).map(({ manager, timeMs }) => ({
        manager: manager.name,
        operation: manager.operation,
        ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
        apiVersion: writer.apiVersion,
        time: time(timeMs),
        fieldsType: 'FieldsV1',
        fieldsV1: manager.subresource === '' ? { 'f:spec': {} } : { 'f:status': {} },
      })),
    },
    ...rest,
  }
}
