/** What the planner knows of a cluster. Absent: no data source reports it. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { ClusterView } from '../clusters/cluster-index.ts'
import { problemsAt } from '../clusters/cluster-states.ts'
import { settingsWithDefaults } from '../clusters/setting-defaults.ts'
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { minorOfKubelet, openshiftMinorOf, pairedMinorOf } from '../platform-minor.ts'
import type { Flavour } from './plan-graph.ts'
import { memoryOfVms } from './vm-memory.ts'

export interface PlanCluster {
  readonly record: ClusterRecord
  readonly states: ClusterView['states']
  readonly problems: readonly { readonly cause: string; readonly text: string }[]
  /** An upgrade in progress, as `HCO 1.16.0 → 1.17.0`. */
  readonly upgrading?: string
  readonly flavour: Flavour
  readonly hcoVersion?: string
  /** The minor of OpenShift that HCO pairs with. */
  readonly hcoMinor?: number
  readonly platform?: 'openshift' | 'kubernetes'
  readonly openshiftVersion?: string
  readonly openshiftMinor?: number
  /** The oldest kubelet's minor of OpenShift. */
  readonly kubeletMinor?: number
  readonly pools: PoolFacts
  /** `undefined`: HyperConverged is not reported. */
  readonly updateMethods?: readonly string[]
  /** Nodes that may run VMs. */
  readonly vmNodes?: number
  readonly vms?: number
  readonly outdatedVms?: number
  /** VMs that cannot be live migrated. */
  readonly nonMigratableVms?: number
  /** GiB of all VMs, by their instance types. */
  readonly vmMemoryGiB?: number
  readonly migration: MigrationLimits
}

export interface PoolFacts {
  /** False: no pool is reported. */
  readonly areKnown: boolean
  /** Pools of worker nodes with machines. */
  readonly workers: readonly string[]
  readonly paused: readonly string[]
  /** Machines of worker pools that do not have their pool's configuration. */
  readonly outdatedMachines: number
  readonly workerMachines: number
  readonly degraded: readonly string[]
}

export interface MigrationLimits {
  readonly perCluster: number
  readonly outboundPerNode: number
  /** MiB per second of one migration; absent: not limited. */
  readonly mibPerSecond?: number
}

const CONTROL_PLANE_POOL = 'master'

export function planClusterOf(view: ClusterView, nowMs: number): PlanCluster {
  const { record, states, open } = view
  const { hcoVersion, platform, settings, nodes, workloads, instanceTypes } = record
  const flavour = record.flavour ?? (hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)?.flavour)
  const pools = poolFactsOf(record)
  const running = open.find(({ record: { upgrade } }) => upgrade.state === 'in_progress')?.record.upgrade
  const openshiftVersion = platform?.kind === 'openshift' ? platform.version : undefined
  const kubelets = nodes?.kubeletVersions.flatMap((version) => minorOfKubelet(version) ?? []) ?? []
  const updateMethods = record.coverage.objects && settings.apiVersion !== undefined ? methodsOf(record) : undefined
  const memory = memoryOfVms(instanceTypes)
  return defined({
    record,
    states,
    problems: problemsAt(record, open, nowMs),
    upgrading: running === undefined ? undefined : `${running.operator} ${running.from ?? '?'} → ${running.to}`,
    flavour: flavour ?? 'openshift',
    hcoVersion,
    hcoMinor: hcoVersion === undefined ? undefined : pairedMinorOf(hcoVersion),
    platform: platform?.kind,
    openshiftVersion,
    openshiftMinor: openshiftVersion === undefined ? undefined : openshiftMinorOf(openshiftVersion),
    kubeletMinor: kubelets.length === 0 ? undefined : Math.min(...kubelets),
    pools,
    updateMethods,
    vmNodes: pools.workerMachines > 0 ? pools.workerMachines : nodes?.count,
    vms: vmsOf(record),
    outdatedVms: workloads?.outdated,
    nonMigratableVms: workloads?.nonMigratable,
    vmMemoryGiB: memory,
    migration: limitsOf(record),
  })
}

/** As reported, else by the last workload update, which counts all VMs that ran; never fewer than are outdated now. */
function vmsOf({ workloads, instanceTypes, vmsAtLastUpdate }: ClusterRecord): number | undefined {
  if (workloads?.running !== undefined) return workloads.running
  const typed = Object.values(instanceTypes).reduce((sum, count) => sum + count, 0)
  const most = Math.max(vmsAtLastUpdate ?? 0, typed, workloads?.outdated ?? 0)
  return most === 0 ? undefined : most
}

function defined<T extends object>(facts: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as T
}

function poolFactsOf({ pools }: ClusterRecord): PoolFacts {
  const workers = pools.filter(({ name, machines }) => name !== CONTROL_PLANE_POOL && machines > 0)
  return {
    areKnown: pools.length > 0,
    workers: workers.map(({ name }) => name),
    paused: workers.filter(({ isPaused }) => isPaused).map(({ name }) => name),
    outdatedMachines: workers.reduce((sum, { machines, updated }) => sum + Math.max(0, machines - updated), 0),
    workerMachines: workers.reduce((sum, { machines }) => sum + machines, 0),
    degraded: pools.filter(({ degraded }) => degraded > 0).map(({ name }) => name),
  }
}

/** HCO's default where nothing is set. */
export const DEFAULT_METHODS: readonly string[] = ['LiveMigrate']

function methodsOf({ settings }: ClusterRecord): readonly string[] {
  return settings.workloadUpdateMethods ?? DEFAULT_METHODS
}

/** KubeVirt's own defaults, where neither a setting nor the version of HCO has another value. */
const PER_CLUSTER = 5
const OUTBOUND_PER_NODE = 2

function limitsOf(record: ClusterRecord): MigrationLimits {
  const settings = new Map(settingsWithDefaults(record).map(({ name, set, default: unset }) => [name, set ?? unset]))
  const numberOf = (name: string, absent: number): number => {
    const value = Number(settings.get(`liveMigration.${name}`) ?? absent)
    return Number.isInteger(value) && value > 0 ? value : absent
  }
  const mibPerSecond = mibOf(settings.get('liveMigration.bandwidthPerMigration'))
  return {
    perCluster: numberOf('parallelMigrationsPerCluster', PER_CLUSTER),
    outboundPerNode: numberOf('parallelOutboundMigrationsPerNode', OUTBOUND_PER_NODE),
    ...(mibPerSecond === undefined ? {} : { mibPerSecond }),
  }
}

const MIB_OF_UNIT: ReadonlyMap<string, number> = new Map([
  ['Ki', 1 / 1024],
  ['Mi', 1],
  ['Gi', 1024],
  ['K', 1000 / 1024 ** 2],
  ['k', 1000 / 1024 ** 2],
  ['M', 1000 ** 2 / 1024 ** 2],
  ['G', 1000 ** 3 / 1024 ** 2],
])

/** A Kubernetes quantity such as `64Mi`, of a second; 0 is no limit. */
function mibOf(quantity: unknown): number | undefined {
  const parts = typeof quantity === 'string' ? /^(\d{1,9})([KkMG]i?)$/.exec(quantity) : null
  const unit = parts === null ? undefined : MIB_OF_UNIT.get(parts[2]!)
  const mib = unit === undefined ? 0 : Number(parts![1]) * unit
  return mib > 0 ? mib : undefined
}
