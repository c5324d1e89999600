/**
 * The stored fields of each watched kind: only those that facts are derived from. Times are milliseconds; `createdMs` is
 * `metadata.creationTimestamp`, `deletingMs` its `deletionTimestamp`. Absent fields were not in the object. Both layouts of
 * HyperConverged (v1beta1 and v1) become one.
 */

export interface Condition {
  readonly type: string
  /** `True`, `False`, `Unknown`. */
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly lastTransitionMs?: number
}

interface FactsBase {
  readonly createdMs?: number
  readonly deletingMs?: number
}

export interface CsvFacts extends FactsBase {
  readonly kind: 'clusterserviceversions'
  readonly version: string
  readonly replaces?: string
  readonly skips: readonly string[]
  readonly skipRange?: string
  /** Of the annotation `olm.properties`: `4.19`; absent: none. */
  readonly maxOpenShiftVersion?: string
  readonly phase: string
  readonly reason: string
  readonly message: string
  readonly lastTransitionMs?: number
  /** `status.conditions`, oldest first, at most 20: the path through the phases. */
  readonly history: readonly {
    readonly phase: string
    readonly reason: string
    readonly message: string
    readonly lastTransitionMs?: number
    readonly lastUpdateMs?: number
  }[]
}

export interface SubscriptionFacts extends FactsBase {
  readonly kind: 'subscriptions'
  readonly package: string
  readonly channel: string
  readonly source: string
  /** `Automatic` or `Manual`; OLM's default is Automatic. */
  readonly approval: string
  /** '', UpgradeAvailable, UpgradePending, AtLatestKnown, UpgradeFailed. */
  readonly state: string
  readonly installedCsv?: string
  readonly currentCsv?: string
  readonly installPlan?: string
  readonly lastUpdatedMs?: number
  readonly conditions: readonly Condition[]
}

export interface InstallPlanFacts extends FactsBase {
  readonly kind: 'installplans'
  readonly approval: string
  readonly isApproved: boolean
  readonly csvNames: readonly string[]
  /** '', Planning, RequiresApproval, Installing, Complete, Failed. */
  readonly phase: string
  readonly startMs?: number
  readonly conditions: readonly Condition[]
  readonly message?: string
}

export interface OperatorConditionFacts extends FactsBase {
  readonly kind: 'operatorconditions'
  readonly conditions: readonly Condition[]
  readonly overrides: readonly Condition[]
}

export interface HyperConvergedFacts extends FactsBase {
  readonly kind: 'hyperconvergeds'
  /** `hco.kubevirt.io/v1beta1` or `/v1`, as it was read. */
  readonly apiVersion: string
  /** `status.versions[operator]`: the last thing an upgrade changes. */
  readonly operatorVersion?: string
  readonly conditions: readonly Condition[]
  readonly systemHealth?: string
  readonly generation?: number
  readonly observedGeneration?: number
  readonly workloadUpdateMethods?: readonly string[]
  readonly batchEvictionSize?: number
  readonly batchEvictionInterval?: string
  readonly evictionStrategy?: string
  readonly uninstallStrategy?: string
  /** As written, by name: `parallelMigrationsPerCluster`, `completionTimeoutPerGiB`, ... */
  readonly liveMigration: Readonly<Record<string, string | number | boolean>>
  /** By name, on or off. */
  readonly featureGates: Readonly<Record<string, boolean>>
  /** Annotations that patch operands past the API, by annotation name, as written. */
  readonly jsonPatches: Readonly<Record<string, string>>
  readonly tuningPolicy?: string
  /** Further settings that are single values, by the names of `fleet/data/settings.json`: `certConfig.ca.duration`, ... */
  readonly others?: Readonly<Record<string, string | number | boolean>>
  readonly isInfrastructureHighlyAvailable?: boolean
  /** `observability.workloads.allowedMetrics` of v1: the metrics that the operators expose; `none`: no metric. */
  readonly allowedMetrics?: readonly string[]
  /** The number of golden images that it updates. */
  readonly dataImportCronTemplates?: number
}

/** KubeVirt, CDI, SSP, NetworkAddonsConfig, and other operands that report their versions in the same fields. */
export interface OperandFacts extends FactsBase {
  readonly kind: 'kubevirts' | 'cdis' | 'ssps' | 'networkaddonsconfigs' | 'hostpathprovisioners' | 'aaqs'
  readonly phase?: string
  readonly operatorVersion?: string
  readonly targetVersion?: string
  readonly observedVersion?: string
  /** KubeVirt: `target` and `observedDeploymentID`. */
  readonly targetDeploymentId?: string
  readonly observedDeploymentId?: string
  /** KubeVirt: `outdatedVirtualMachineInstanceWorkloads`. */
  readonly outdatedWorkloads?: number
  readonly conditions: readonly Condition[]
  readonly generation?: number
}

export interface KubeDeschedulerFacts extends FactsBase {
  readonly kind: 'kubedeschedulers'
  readonly profiles: readonly string[]
  readonly evictsInBackground?: boolean
  readonly generation?: number
}

export interface DaemonSetFacts extends FactsBase {
  readonly kind: 'daemonsets'
  readonly desired: number
  readonly current: number
  readonly updated: number
  readonly ready: number
  readonly available: number
  readonly generation?: number
  readonly observedGeneration?: number
  /** As written: `1`, `10%`. */
  readonly maxUnavailable?: string
}

export interface MigrationFacts extends FactsBase {
  readonly kind: 'virtualmachineinstancemigrations'
  readonly vmi: string
  readonly phase: string
  /** From annotations and generateName; `other` is a person or the descheduler. */
  readonly cause: 'workload_update' | 'evacuation' | 'other'
  /** `status.phaseTransitionTimestamps`, by phase. */
  readonly phaseTimesMs: Readonly<Record<string, number>>
  readonly startMs?: number
  readonly endMs?: number
  readonly sourceNode?: string
  readonly targetNode?: string
  readonly failureReason?: string
  readonly conditions: readonly Condition[]
}

export interface DataImportCronFacts extends FactsBase {
  readonly kind: 'dataimportcrons'
  readonly managedDataSource: string
  readonly conditions: readonly Condition[]
  readonly lastImportMs?: number
  readonly schedule?: string
}

export interface MachineConfigPoolFacts extends FactsBase {
  readonly kind: 'machineconfigpools'
  readonly isPaused: boolean
  readonly machines: number
  readonly updated: number
  readonly ready: number
  readonly degraded: number
  readonly conditions: readonly Condition[]
  readonly generation?: number
}

export interface ClusterVersionFacts extends FactsBase {
  readonly kind: 'clusterversions'
  readonly clusterId: string
  readonly channel: string
  readonly desiredVersion: string
  /** `status.history`, newest first, as in OpenShift. */
  readonly history: readonly {
    /** `Completed`, `Partial`. */
    readonly state: string
    readonly version: string
    readonly startedMs?: number
    readonly completedMs?: number
  }[]
  readonly conditions: readonly Condition[]
  readonly availableUpdates: readonly string[]
}

export interface ClusterOperatorFacts extends FactsBase {
  readonly kind: 'clusteroperators'
  readonly operatorVersion?: string
  readonly conditions: readonly Condition[]
}

/** A node, without its heartbeats: two states that differ in those alone are one. */
export interface NodeFacts extends FactsBase {
  readonly kind: 'nodes'
  readonly isReady: boolean
  /** When `isReady` last changed. */
  readonly readyChangedMs?: number
  readonly isSchedulable: boolean
  readonly roles: readonly string[]
  readonly kubeletVersion: string
  readonly hasKvm?: boolean
}

export interface CatalogSourceFacts extends FactsBase {
  readonly kind: 'catalogsources'
  /** `READY`, `CONNECTING`, `TRANSIENT_FAILURE`. */
  readonly connectionState: string
}

export interface OperatorGroupFacts extends FactsBase {
  readonly kind: 'operatorgroups'
  readonly upgradeStrategy: string
}

export interface StorageClassFacts extends FactsBase {
  readonly kind: 'storageclasses'
  readonly provisioner: string
  /** Of Kubernetes, and of CDI for disks of virtual machines. */
  readonly isDefault: boolean
  readonly isVirtDefault: boolean
}

/**
 * OpenShift's count of the requests to one version of an API (APIRequestCount), without the counts: they change every
 * minute. Optional: the edge kit leaves them out by default.
 */
export interface ApiRequestCountFacts extends FactsBase {
  readonly kind: 'apirequestcounts'
  /** The Kubernetes release without the API, `1.32`; absent: none is announced. */
  readonly removedIn?: string
  /** User agents of the last 24 hours, sorted, at most `CLIENTS_MAX` of `wire/k8s/openshift.ts`. */
  readonly clients: readonly string[]
}

/** An Event about a watched object. Events have no state; the newest `count` of one counts. */
export interface EventFacts extends FactsBase {
  readonly kind: 'events'
  readonly reason: string
  readonly type: string
  readonly message: string
  readonly count: number
  readonly firstMs?: number
  readonly lastMs?: number
  readonly objectKind: string
  readonly objectName: string
  readonly objectNamespace: string
}

/** A virtual machine instance, as far as upgrades and adoption read it. Optional: the edge kit leaves them out by default. */
export interface VirtualMachineInstanceFacts extends FactsBase {
  readonly kind: 'virtualmachineinstances'
  readonly phase: string
  readonly isOutdated: boolean
  readonly launcherImage?: string
  readonly isMigratable?: boolean
  readonly notMigratableReason?: string
  readonly evictionStrategy?: string
  readonly instanceType?: string
  readonly preference?: string
  readonly nodeName?: string
  /** The type that QEMU runs (`pc-q35-rhel9.4.0`), else the one of the spec, which may be an alias (`q35`). */
  readonly machineType?: string
}

export type ObjectFacts =
  | CsvFacts
  | SubscriptionFacts
  | InstallPlanFacts
  | OperatorConditionFacts
  | HyperConvergedFacts
  | OperandFacts
  | KubeDeschedulerFacts
  | DaemonSetFacts
  | MigrationFacts
  | DataImportCronFacts
  | MachineConfigPoolFacts
  | ClusterVersionFacts
  | ClusterOperatorFacts
  | NodeFacts
  | CatalogSourceFacts
  | OperatorGroupFacts
  | StorageClassFacts
  | ApiRequestCountFacts
  | EventFacts
  | VirtualMachineInstanceFacts
export type ObjectKind = ObjectFacts['kind']
