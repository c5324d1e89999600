import type { ObjectKind } from '../../src/model/object-facts.ts'
import type { FieldManager } from '../../src/model/observation.ts'

/** Who writes the status of the objects of a kind; what changes in the simulated fleet is status. */
const WRITERS: Readonly<Record<ObjectKind, string>> = {
  clusterserviceversions: 'olm',
  subscriptions: 'catalog',
  installplans: 'catalog',
  operatorconditions: 'hyperconverged-cluster-operator',
  catalogsources: 'catalog',
  operatorgroups: 'olm',
  hyperconvergeds: 'hyperconverged-cluster-operator',
  kubevirts: 'virt-operator',
  cdis: 'cdi-operator',
  ssps: 'ssp-operator',
  networkaddonsconfigs: 'cluster-network-addons-operator',
  hostpathprovisioners: 'hostpath-provisioner-operator',
  aaqs: 'aaq-operator',
  kubedeschedulers: 'cluster-kube-descheduler-operator',
  daemonsets: 'kube-controller-manager',
  virtualmachineinstancemigrations: 'virt-controller',
  virtualmachineinstances: 'virt-handler',
  dataimportcrons: 'virt-cdi-controller',
  machineconfigpools: 'machine-config-controller',
  clusterversions: 'cluster-version-operator',
  clusteroperators: 'cluster-version-operator',
  nodes: 'kubelet',
  events: 'hyperconverged-cluster-operator',
}

export function managerOf(kind: ObjectKind): FieldManager {
  // An Event has no status.
  return { name: WRITERS[kind], operation: 'Update', subresource: kind === 'events' ? '' : 'status' }
}
