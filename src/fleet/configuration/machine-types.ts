/** The machine types of the fleet's VMs, and which of them the next versions remove. */
import type { MachineTypeState } from '../../model/configuration.ts'
import type { FleetReader } from '../fleet-reader.ts'
import type { ClusterStack } from './configuration-answers.ts'
import { compareTexts } from '../version-order.ts'
import data from '../data/kvm-stack.json' with { type: 'json' }

/** Per cluster: VMs by machine type, and the types that a node reports as deprecated. */
export interface MachineTypeUse {
  readonly vms: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly deprecated: ReadonlyMap<string, ReadonlySet<string>>
}

/** Two virt-controllers report each VM during an upgrade. */
const VMS =
  'count by (cluster, machine_type) (max by (cluster, namespace, name, machine_type) (kubevirt_vm_info{cluster!="", machine_type!=""}))'
/** Reported by nodes since KubeVirt 1.6. */
const DEPRECATED =
  'max by (cluster, machine_type) (kubevirt_node_deprecated_machine_types{cluster!="", machine_type!=""})'

/** From metrics, exact at any time; `kubevirt_vm_info` has the type since KubeVirt 1.4. */
export async function readMachineTypes(reader: Pick<FleetReader, 'instant'>, timeMs: number): Promise<MachineTypeUse> {
  const [counts, marks] = await Promise.all([reader.instant(VMS, timeMs), reader.instant(DEPRECATED, timeMs)])
  const vms = new Map<string, Map<string, number>>()
  for (const { labels, value } of counts) {
    const types = vms.get(labels.get('cluster')) ?? new Map<string, number>()
    vms.set(labels.get('cluster'), types.set(labels.get('machine_type'), value))
  }
  const deprecated = new Map<string, Set<string>>()
  for (const { labels } of marks) {
    const types = deprecated.get(labels.get('cluster')) ?? new Set<string>()
    deprecated.set(labels.get('cluster'), types.add(labels.get('machine_type')))
  }
  return { vms, deprecated }
}

const BASES = ['el8', 'el9', 'el10'] as const

/** @param base of virt-launcher, of `kvm-stack.ts`; null: not known */
export function machineTypeState(machineType: string, base: string | null): MachineTypeState {
  if (/^(q35|pc|virt|s390-ccw-virtio|pseries)$/.test(machineType)) return 'alias'
  if (!machineType.includes('-rhel')) return 'foreign'
  const at = BASES.findIndex((one) => one === base)
  const row = data.machineTypes.find(({ prefix }) => machineType.startsWith(prefix))
  if (at < 0 || row === undefined) return 'unknown'
  const isSince = (since: string | null): boolean => since !== null && at >= BASES.findIndex((one) => one === since)
  if (isSince(row.removedIn)) return 'removed'
  return isSince(row.deprecatedIn) ? 'deprecated' : 'current'
}

/** The base that removes the type, with the pages that say so; `undefined`: none is known. */
export function removalOf(
  machineType: string,
): { readonly base: string; readonly sources: readonly string[] } | undefined {
  const row = data.machineTypes.find(({ prefix }) => machineType.startsWith(prefix))
  return row === undefined || row.removedIn === null ? undefined : { base: row.removedIn, sources: row.sources }
}

export interface MachineTypeItem {
  readonly machineType: string
  readonly vms: number
  /** Clusters with such VMs, by name. */
  readonly clusters: readonly string[]
  /** Of these, clusters on which a node calls the type deprecated. */
  readonly deprecatedOn: number
}

/** By number of VMs. Of a cluster without the metric the VMIs count that it reports as objects. */
export function machineTypesInUse(
  use: MachineTypeUse,
  stacks: readonly Pick<ClusterStack, 'cluster' | 'machineTypes'>[],
): readonly MachineTypeItem[] {
  const found = new Map<string, { vms: number; clusters: string[]; deprecatedOn: number }>()
  for (const { cluster, machineTypes } of stacks) {
    const types = use.vms.get(cluster) ?? new Map(Object.entries(machineTypes ?? {}))
    for (const [machineType, vms] of types) {
      const item = found.get(machineType) ?? { vms: 0, clusters: [], deprecatedOn: 0 }
      found.set(machineType, item)
      item.vms += vms
      item.clusters.push(cluster)
      if (use.deprecated.get(cluster)?.has(machineType) === true) item.deprecatedOn++
    }
  }
  return [...found]
    .map(([machineType, item]) => ({ machineType, ...item, clusters: item.clusters.sort(compareTexts) }))
    .sort((a, b) => b.vms - a.vms || compareTexts(a.machineType, b.machineType))
}
