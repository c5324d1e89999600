import type { HazardFacts } from './hazard-facts.ts'
import type { Condition } from './object-facts.ts'
import type { Evidence } from './upgrade.ts'

/** The current state of one cluster. Absent: unknown. */
export interface ClusterRecord {
  readonly cluster: string
  /** Other names: `k8s.cluster.name`, OpenShift's `clusterID`. */
  readonly aliases: readonly string[]
  /** Names that its senders claim, and that it does not have because another cluster does; absent: none. */
  readonly refusedAliases?: readonly string[]
  readonly flavour?: 'community' | 'openshift'
  readonly platform?: { readonly kind: 'openshift' | 'kubernetes'; readonly version?: string; readonly target?: string }
  /** `status.versions[operator]` or its equivalent: the completed version. */
  readonly hcoVersion?: string
  /** Of each operator and operand, by name: `kubevirt`, `cdi`, ... */
  readonly versions: Readonly<Record<string, string>>
  readonly subscription?: {
    readonly package: string
    readonly channel: string
    readonly approval: string
    readonly source: string
    readonly state: string
    readonly installedCsv?: string
    readonly currentCsv?: string
  }
  readonly conditions: readonly Condition[]
  readonly systemHealth?: string
  readonly isTainted?: boolean
  /** Absent: none is reported. */
  readonly problems?: readonly ClusterProblem[]
  readonly upgradeable?: { readonly status: string; readonly reason: string; readonly message: string }
  readonly settings: ClusterSettings
  readonly nodes?: { readonly count: number; readonly ready: number; readonly kubeletVersions: readonly string[] }
  readonly pools: readonly {
    readonly name: string
    readonly isPaused: boolean
    readonly machines: number
    readonly updated: number
    readonly degraded: number
  }[]
  /** Running VMs (absent: not reported), and those whose launcher is older than the control plane. */
  readonly workloads?: {
    readonly running?: number
    readonly outdated: number
    /** VMs that report LiveMigratable=False; absent: no VMI is reported. */
    readonly nonMigratable?: number
    readonly atMs: number
  }
  /** VMs to update when the newest workload update started; absent: none was observed. */
  readonly vmsAtLastUpdate?: number
  /** Where HyperConverged and the Subscription of HCO are, for commands. */
  readonly hyperConverged?: ObjectPlace
  readonly hcoSubscription?: ObjectPlace
  /** All HyperConverged objects were deleted, the last one then; absent: one exists, or none was ever reported. */
  readonly hyperConvergedRemovedMs?: number
  /** HyperConverged allows no metrics (`allowedMetrics: [none]`), with the write that set it; absent: it does not. */
  readonly telemetryOff?: Written
  readonly goldenImages?: { readonly crons: number; readonly outdated: number }
  readonly descheduler?: { readonly profiles: readonly string[]; readonly isMisconfigured?: boolean }
  /** Adoption inventory: VMs by instance type and preference, and requested deprecated API versions, as far as reported. */
  readonly instanceTypes: Readonly<Record<string, number>>
  readonly preferences: Readonly<Record<string, number>>
  readonly deprecatedApis: Readonly<Record<string, number>>
  /** What upgrade hazards need besides; absent: nothing of it is reported. */
  readonly hazards?: HazardFacts
  /** VMs by the machine type that QEMU runs; absent: not reported. */
  readonly machineTypes?: Readonly<Record<string, number>>
  /** Clients of versions of APIs, by `resource.version.group`; absent: not reported. */
  readonly apiClients?: readonly ApiClients[]
  readonly region?: string
  readonly provider?: string
  readonly environment?: string
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  readonly coverage: Coverage
}

/** The name and namespace of an object. */
export interface ObjectPlace {
  readonly name: string
  readonly namespace: string
}

export const CLUSTER_PROBLEMS = [
  'csv_unhealthy',
  'hyperconverged_unhealthy',
  'virt_handler_outdated',
  'cannot_plan',
  'identity_conflict',
] as const

/**
 * Something is wrong with the installed operator, OLM cannot plan the next one, or two clusters use one name, whether or not
 * an upgrade is open.
 */
export interface ClusterProblem {
  readonly cause: (typeof CLUSTER_PROBLEMS)[number]
  /**
   * Which condition of OLM, for `cannot_plan`: `ResolutionFailed`, `InstallPlanMissing`, ... For `identity_conflict` why a
   * name was refused (`model/cluster-claim.ts`), or `mixed_metrics`.
   */
  readonly reason?: string
  /** What happened, then what to do. */
  readonly text: string
  readonly sinceMs: number
  readonly evidence: readonly Evidence[]
}

/** Who uses one version of an API, as OpenShift counts it. */
export interface ApiClients {
  /** `virtualmachines.v1alpha3.kubevirt.io` */
  readonly api: string
  /** The Kubernetes release without it, `1.32`; absent: none is announced. */
  readonly removedIn?: string
  /** User agents of the last 24 hours. */
  readonly clients: readonly string[]
}

/** A write to an object. */
export interface Written {
  /** Absent: before the history of the object. */
  readonly sinceMs?: number
  /** The field manager, such as `kubectl-edit`; absent: not reported. */
  readonly by?: string
}

export interface ClusterSettings {
  readonly apiVersion?: string
  readonly workloadUpdateMethods?: readonly string[]
  readonly evictionStrategy?: string
  readonly uninstallStrategy?: string
  readonly liveMigration: Readonly<Record<string, string | number | boolean>>
  readonly featureGates: Readonly<Record<string, boolean>>
  /** The write that set each gate to its value; without gates whose write is not known. */
  readonly featureGatesWritten?: Readonly<Record<string, Written>>
  readonly tuningPolicy?: string
  /** Further settings of HyperConverged that are single values, by the names of `fleet/data/settings.json`. */
  readonly others?: Readonly<Record<string, string | number | boolean>>
  /** The default classes; absent: StorageClasses are not reported. An empty text: no class is the default. */
  readonly storage?: { readonly default: string; readonly virtDefault: string }
  /** DataSources that DataImportCrons keep up to date, sorted; absent: none is reported. */
  readonly goldenImages?: readonly string[]
  /** The write that set each setting but gates to its value, by name; without those whose write is not known. */
  readonly written?: Readonly<Record<string, Written>>
}

/** The data sources of the cluster. */
export interface Coverage {
  readonly objects: boolean
  readonly metrics: boolean
  readonly spans: boolean
  /** The last report of each data source; absent: never. */
  readonly objectsLastMs?: number
  readonly metricsLastMs?: number
  /** Kinds of objects ever reported. */
  readonly kinds: readonly string[]
}

/** A period in which a cluster ran one version of one operator; without an end: it still runs it. Never overlapping. */
export interface VersionInterval {
  readonly cluster: string
  /** `kubevirt-hyperconverged`, `kubevirt`, `cdi`, `openshift`, ... */
  readonly operator: string
  readonly version: string
  /** `isStartKnown` false: the history begins with it. */
  readonly fromMs: number
  readonly isStartKnown: boolean
  readonly untilMs?: number
  readonly resolutionSeconds: number
}

/** An out-of-band modification. */
export interface Modification {
  /** Hash of cluster, kind, component, start. */
  readonly id: string
  readonly cluster: string
  readonly kind: 'out_of_band' | 'jsonpatch'
  /** The operand that was edited, or that the annotation patches. */
  readonly component: string
  readonly startedMs?: number
  /** When it was reverted or the annotation removed; absent: still active, or (out_of_band) momentary. */
  readonly endedMs?: number
  /** Out of band: how often within one burst; edits less than ten minutes apart are one. */
  readonly count: number
  /**
   * Out of band: when edits of the burst happened, in order, and how many there were by then; of a long burst some times, with the
   * first and the last. Absent: only `startedMs`, `endedMs` and `count` are known.
   */
  readonly edits?: readonly (readonly [atMs: number, countUntil: number])[]
  /** The operations of a JSON patch; absent when the annotation is not a valid RFC 6902 array, with the reason in `text`. */
  readonly operations?: readonly {
    readonly op: string
    readonly path: string
    readonly value?: unknown
    /** Of `move` and `copy`. */
    readonly from?: string
  }[]
  readonly annotation?: string
  /** The field manager that wrote the annotation; absent: not reported. */
  readonly by?: string
  readonly text: string
  readonly isUpgradeMode: boolean
  readonly resolutionSeconds: number
}

/**
 * The states of a cluster, of which several may apply. `steady`: reporting, and no other state applies. `gone`:
 * decommissioned by a declaration, or without a report for too long; then no other state applies.
 */
export const CLUSTER_STATES = [
  'upgrading',
  'stuck',
  'silent',
  'unhealthy',
  'cannot_plan',
  'identity_conflict',
  'tainted',
  'outdated_workloads',
  'paused_pool',
  'unknown',
  'steady',
  'gone',
] as const
export type ClusterState = (typeof CLUSTER_STATES)[number]
