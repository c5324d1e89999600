import type { ObjectKind } from '../../src/model/object-facts.ts'
import type { FieldManager } from '../../src/model/observation.ts'
import { randomOf } from '../random.ts'

/** Who writes the status of the objects of a kind. */
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
  storageclasses: 'csi-driver-operator',
  apirequestcounts: 'kube-apiserver',
  events: 'hyperconverged-cluster-operator',
}

/** The writer of what changes in most objects, their status. */
export function managerOf(kind: ObjectKind): FieldManager {
  // An Event has no status.
  return { name: WRITERS[kind], operation: 'Update', subresource: kind === 'events' ? '' : 'status' }
}

/** HCO writes the settings of a new version into its own object. */
export const HCO_SPEC_WRITER: FieldManager = {
  name: WRITERS.hyperconvergeds,
  operation: 'Update',
  subresource: '',
}

/** What people use, by the names that these tools have as field managers; `Mozilla`: the console in a browser. */
const PEOPLE: readonly (readonly [string, number])[] = [
  ['kubectl-edit', 5],
  ['kubectl-patch', 3],
  ['Mozilla', 3],
  ['kubectl-client-side-apply', 2],
]
/** One cluster in two is configured by an automation alone. */
const AUTOMATIONS: readonly (readonly [string | undefined, number])[] = [
  ['argocd-controller', 3],
  ['config-policy-controller', 2],
  [undefined, 5],
]

/** Who sets a setting of a cluster: its automation, or one of its people. */
export function ownerOf({ seed }: { readonly seed: string }, setting: string): FieldManager {
  const name = randomOf(seed, 'automation').weighted(AUTOMATIONS) ?? randomOf(seed, 'owner', setting).weighted(PEOPLE)
  return { name, operation: name === 'argocd-controller' ? 'Apply' : 'Update', subresource: '' }
}
