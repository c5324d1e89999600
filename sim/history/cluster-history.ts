import type { BlockCause, UpgradeState } from '../../src/model/upgrade.ts'
import type { ClusterProfile } from '../cluster-profile.ts'
import type { Release } from '../release.ts'
import type { Window } from '../scenarios/window.ts'

/**
 * What happens to one cluster over months. All times are whole seconds, in milliseconds, because Kubernetes tells no
 * finer; infinity is never. Objects, metrics, spans and the truth are computed from this and from nothing else.
 */
export interface ClusterHistory {
  readonly profile: ClusterProfile
  /** HyperConverged was installed; before `fromMs` for most. */
  readonly installedMs: number
  /** The history that is told, `[fromMs, untilMs)`. */
  readonly fromMs: number
  readonly untilMs: number
  /** By which ways it tells. */
  readonly tells: Tells
  readonly firstCsv: CsvLife
  /** One after the other; the next may begin while the machines of the last are still moving. */
  readonly upgrades: readonly HcoUpgrade[]
  readonly platform: PlatformHistory | undefined
  readonly edits: readonly OutOfBandEdit[]
  readonly patches: readonly JsonPatch[]
  /** The catalog could not be reached: nothing is offered, and nobody is told why. */
  readonly catalogOutages: readonly Window[]
  /** Its catalog had something newer, and nobody let it in yet: Subscription UpgradeAvailable. */
  readonly unusedOffers?: readonly Window[]
  /** Ways of moving machines that are switched on, each from its time on; the first is from the beginning. */
  readonly updateMethods: readonly { readonly fromMs: number; readonly methods: readonly string[] }[]
  /** HCO calls itself degraded for another reason than an upgrade. */
  readonly unwell?: readonly Window[]
  /** Its process ends and is back a little later, and counts from 0 again. */
  readonly hcoRestarts?: readonly HcoRestart[]
  readonly delivery: Delivery
  /** HyperConverged allows no metrics from then on; absent: never. */
  readonly telemetryOffMs?: number
  /** HyperConverged is deleted then; absent: never. */
  readonly uninstalledMs?: number
}

export interface HcoRestart {
  readonly atMs: number
  /** Else its container starts anew in the pod that there is. */
  readonly isNewPod: boolean
}

export interface Tells {
  readonly objects: boolean
  readonly metrics: boolean
  /** Its operator is instrumented. */
  readonly spans: boolean
}

export interface HcoUpgrade {
  /** Place in the cluster, from 0. */
  readonly index: number
  readonly from: Release
  readonly to: Release
  readonly approval: 'Automatic' | 'Manual'
  /** The catalog has it: Subscription UpgradeAvailable. */
  readonly offeredMs: number
  /** The InstallPlan is there: Subscription UpgradePending. */
  readonly plannedMs: number
  readonly approvedMs: number
  readonly csv: CsvLife
  readonly operatorPodsMs: number
  readonly csvSucceededMs: number
  readonly hcoStartMs: number
  /** Operands whose version changes; releases often bundle the same ones. */
  readonly components: readonly ComponentLife[]
  /** The DaemonSet virt-handler; `undefined` when KubeVirt stays. */
  readonly rollout: HandlerRollout | undefined
  /** `status.versions[operator]`: the end. */
  readonly endMs: number
  readonly workloads: WorkloadMove | undefined
  readonly stall: HistoryStall | undefined
  readonly outcome: UpgradeState
  /** Given up at this time: replaced by a newer one, or taken back. */
  readonly abortedMs: number
  /** Taken back: the old version's CSV as it was installed anew. */
  readonly returned: CsvLife | undefined
}

/** Where an upgrade stands still. */
export interface HistoryStall extends Window {
  readonly kind: StallKind
  /** What a detective should say; `unknown` for a fault that no signature fits. */
  readonly cause: BlockCause
  /** Approval and machines may wait; nobody is to be called within minutes. */
  readonly isAsynchronous: boolean
}

/** By where it stands still and why; several may have one cause. */
export const STALLS = {
  bundle_unpack: { cause: 'resolution_failed', isAsynchronous: false },
  approval: { cause: 'approval_waiting', isAsynchronous: true },
  requirements: { cause: 'requirements_not_met', isAsynchronous: false },
  not_upgradeable: { cause: 'not_upgradeable', isAsynchronous: false },
  olm_hangs: { cause: 'unknown', isAsynchronous: false },
  install_loop: { cause: 'install_failing', isAsynchronous: false },
  canary: { cause: 'virt_handler_rollout', isAsynchronous: false },
  wave: { cause: 'virt_handler_rollout', isAsynchronous: false },
  operand: { cause: 'operand_failing', isAsynchronous: false },
  virt_operator_hangs: { cause: 'unknown', isAsynchronous: false },
  reconcile: { cause: 'reconcile_error', isAsynchronous: false },
  hco_hangs: { cause: 'unknown', isAsynchronous: false },
  no_method: { cause: 'workload_method_missing', isAsynchronous: true },
  not_migratable: { cause: 'workload_method_missing', isAsynchronous: true },
  migrations_pending: { cause: 'migrations_pending', isAsynchronous: true },
  migrations_failing: { cause: 'migrations_failing', isAsynchronous: true },
  migration_endless: { cause: 'migration_never_ends', isAsynchronous: true },
} as const satisfies Readonly<Record<string, { readonly cause: BlockCause; readonly isAsynchronous: boolean }>>
export type StallKind = keyof typeof STALLS

/** A ClusterServiceVersion from its creation to its end. */
export interface CsvLife {
  readonly uid: string
  readonly release: Release
  /** Its predecessor's release; absent at a first install. */
  readonly replaces: Release | undefined
  readonly createdMs: number
  /** Oldest first. */
  readonly steps: readonly CsvStep[]
  readonly goneMs: number
}

export interface CsvStep {
  readonly atMs: number
  readonly phase: string
  readonly reason: string
  readonly message: string
}

export const COMPONENTS = ['kubevirt', 'cdi', 'network-addons', 'ssp'] as const
export type Component = (typeof COMPONENTS)[number]

export interface ComponentLife {
  readonly name: Component
  readonly from: string
  readonly to: string
  readonly startMs: number
  readonly endMs: number
}

export interface HandlerRollout {
  /** The DaemonSet has the new template. */
  readonly startMs: number
  /** By node: its new pod is made, and is ready. The first is the canary. */
  readonly nodes: readonly { readonly updatedMs: number; readonly readyMs: number }[]
}

/** Machines moving to the new launcher. */
export interface WorkloadMove {
  readonly startMs: number
  /** None is outdated any more. */
  readonly endMs: number
  readonly machines: number
  readonly migrations: readonly MigrationLife[]
  /** When each machine had moved, by a migration or because somebody restarted it; rising. */
  readonly movedMs: readonly number[]
}

export interface MigrationLife {
  readonly uid: string
  readonly vmi: string
  readonly createdMs: number
  /** Its target pod is there and waits for a node. */
  readonly schedulingMs: number
  readonly runningMs: number
  readonly endMs: number
  readonly hasSucceeded: boolean
  /** As KubeVirt says why it failed; absent: no node in time. */
  readonly failureReason?: string
  readonly cause: 'workload_update' | 'evacuation' | 'other'
}

export interface PlatformHistory {
  readonly firstVersion: string
  readonly upgrades: readonly PlatformUpgrade[]
}

export interface PlatformUpgrade {
  readonly from: string
  readonly to: string
  readonly startMs: number
  /** By pool: when each of its machines is done. */
  readonly pools: readonly {
    readonly name: 'master' | 'worker'
    readonly startMs: number
    readonly doneMs: readonly number[]
  }[]
  readonly endMs: number
  /** A node cannot be drained, or its new configuration cannot be applied. */
  readonly stall: (Window & { readonly kind: 'drain' | 'pool' }) | undefined
}

export interface OutOfBandEdit {
  readonly atMs: number
  readonly component: Component
}

export interface JsonPatch extends Window {
  readonly component: Component
  readonly text: string
  readonly operations: number
}

/** How what happened gets out. */
export interface Delivery {
  /** Added to every time of the Collector's own clock. */
  readonly skewMs: number
  /** The Collector starts anew: everything is told again as `added`. */
  readonly restartsMs: readonly number[]
  /** Nothing is heard of the cluster; what happened is lost (`gap`) or comes afterwards (`late`). */
  readonly outages: readonly (Window & { readonly kind: 'gap' | 'late' })[]
  /** Share of requests that are sent twice. */
  readonly repeatShare: number
  /**
   * Requests of all kinds arrive in any order, up to so much later, except scrapes that waited: nobody would take samples
   * that are hours behind others. Absent: scrapes in order, batches within seconds.
   */
  readonly shuffledMs?: number
}
