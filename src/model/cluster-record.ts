import type { Condition } from './object-facts.ts'

/** What is known of one cluster now. Absent is unknown; nothing here is guessed. */
export interface ClusterRecord {
  readonly cluster: string
  /** The other names it goes by: `k8s.cluster.name`, OpenShift's `clusterID`. */
  readonly aliases: readonly string[]
  readonly flavour?: 'community' | 'openshift'
  readonly platform?: { readonly kind: 'openshift' | 'kubernetes'; readonly version?: string; readonly target?: string }
  /** `status.versions[operator]` or what stands for it; the version that is really reached. */
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
  /** Running virtual machines (absent: not told), and those whose launcher is older than the control plane. */
  readonly workloads?: { readonly running?: number; readonly outdated: number; readonly atMs: number }
  readonly goldenImages?: { readonly crons: number; readonly outdated: number }
  readonly descheduler?: { readonly profiles: readonly string[]; readonly isMisconfigured?: boolean }
  /** Adoption inventory: VMs by instance type and preference, and deprecated API versions asked for, as far as told. */
  readonly instanceTypes: Readonly<Record<string, number>>
  readonly preferences: Readonly<Record<string, number>>
  readonly deprecatedApis: Readonly<Record<string, number>>
  readonly region?: string
  readonly provider?: string
  readonly environment?: string
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  readonly coverage: Coverage
}

export interface ClusterSettings {
  readonly apiVersion?: string
  readonly workloadUpdateMethods?: readonly string[]
  readonly evictionStrategy?: string
  readonly uninstallStrategy?: string
  readonly liveMigration: Readonly<Record<string, string | number | boolean>>
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly tuningPolicy?: string
}

/** By which ways the cluster is heard of. */
export interface Coverage {
  readonly objects: boolean
  readonly metrics: boolean
  readonly spans: boolean
  /** Newest of each way; absent: never. */
  readonly objectsLastMs?: number
  readonly metricsLastMs?: number
  /** Kinds of objects that were ever told. */
  readonly kinds: readonly string[]
}

/** A cluster ran one version of one operator from, until (absent: still does). Ordered, never overlapping. */
export interface VersionInterval {
  readonly cluster: string
  /** `kubevirt-hyperconverged`, `kubevirt`, `cdi`, `openshift`, ... */
  readonly operator: string
  readonly version: string
  /** First seen with it; `isStartKnown` false: it was so when the history begins. */
  readonly fromMs: number
  readonly isStartKnown: boolean
  readonly untilMs?: number
  readonly resolutionSeconds: number
}

/** Something was changed past the API, or past the operator. */
export interface Modification {
  /** Hash of what makes it one: cluster, kind, component, start. */
  readonly id: string
  readonly cluster: string
  readonly kind: 'out_of_band' | 'jsonpatch'
  /** Operand that was edited and changed back, or that the annotation patches. */
  readonly component: string
  readonly startedMs?: number
  /** When it was reverted or the annotation removed; absent: it still stands, or (out_of_band) is momentary. */
  readonly endedMs?: number
  /** Out of band: how often within one burst; edits less than ten minutes apart are one. */
  readonly count: number
  /** JSON patch: its operations; absent when the annotation is no valid RFC 6902 array, then `text` says why. */
  readonly operations?: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[]
  readonly annotation?: string
  readonly text: string
  readonly isUpgradeMode: boolean
  readonly resolutionSeconds: number
}

/**
 * What holds of a cluster; several may. `steady`: it is heard of, and none of the others holds. `gone`: it was switched off
 * for good, by somebody's word or because nothing was heard of it for so long; then nothing else is said of it.
 */
export const CLUSTER_STATES = [
  'upgrading',
  'stuck',
  'silent',
  'unhealthy',
  'tainted',
  'outdated_workloads',
  'paused_pool',
  'unknown',
  'steady',
  'gone',
] as const
export type ClusterState = (typeof CLUSTER_STATES)[number]
