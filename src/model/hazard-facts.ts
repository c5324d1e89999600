import type { EvidenceSource } from './upgrade.ts'

/** A value of a cluster with its evidence. */
export interface Observed<T> {
  readonly value: T
  /** Since when it is so, as far as observed. */
  readonly sinceMs: number
  readonly source: EvidenceSource
  /** Where to look: `operatorgroups/openshift-cnv/group`, or a series. */
  readonly ref: string
}

/**
 * What upgrade hazards read of a cluster besides its record. Absent: not reported, so that no hazard that needs it can be
 * ruled out.
 */
export interface HazardFacts {
  /** The oldest kubelet, `1.36.1`. */
  readonly kubernetesVersion?: Observed<string>
  /** `spec.upgradeStrategy` of HCO's OperatorGroup. */
  readonly operatorGroupStrategy?: Observed<string>
  /** HyperConverged's `status.infrastructureHighlyAvailable`. */
  readonly isHighlyAvailable?: Observed<boolean>
  /** Nodes on which VMs can run. */
  readonly kvmNodes?: Observed<number>
  /** The condition Upgradeable of ClusterVersion; status `True` when the condition is absent. */
  readonly platformUpgradeable?: Observed<{
    readonly status: string
    readonly reason: string
    readonly message: string
  }>
  /** `olm.maxOpenShiftVersion` of the installed bundle, such as `4.19`; empty: the bundle has none. */
  readonly maxOpenShiftVersion?: Observed<string>
  /** Objects of the NodeMaintenance API that HCO owned until 1.6. */
  readonly nodeMaintenances?: Observed<number>
  /** The condition of NetworkAddonsConfig that asks for the standalone NMState operator; empty: none. */
  readonly nmstateCondition?: Observed<string>
  /** VMs whose eviction needs a live migration that is not possible. */
  readonly nonEvictable?: Observed<number>
  /** VMs that cannot be live-migrated, by reason. */
  readonly notMigratable?: Observed<Readonly<Record<string, number>>>
  /** Default storage classes whose volumes only one node can mount. */
  readonly rwoClasses?: Observed<readonly string[]>
  /** VMs by machine type that a node of the cluster reports as deprecated. */
  readonly deprecatedMachineTypes?: Observed<Readonly<Record<string, number>>>
  /** Requested deprecated API versions: `kubevirt.io/v1alpha3 virtualmachines`. */
  readonly deprecatedApis?: Observed<readonly string[]>
  /** HCO's own verdict on the descheduler, by its metric. */
  readonly isDeschedulerMisconfigured?: Observed<boolean>
  /** VMs that were migrated again and again in the last day, with the most frequent reason. */
  readonly retriedMigrations?: Observed<{ readonly vms: number; readonly tries: number; readonly reason: string }>
  /** The last field manager of HyperConverged's spec that is no operator, and the API version of the object. */
  readonly hyperConvergedWriter?: Observed<{ readonly manager: string; readonly apiVersion: string }>
  /** `workloadUpdateMethods`, since when they are set so. */
  readonly workloadUpdateMethods?: Observed<readonly string[]>
  /** Paused pools, since when. */
  readonly pausedPools?: Observed<readonly string[]>
}
