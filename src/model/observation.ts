/** Observations of objects, runs of metrics, and spans. Facts are a pure function of a cluster's set of observations. */
import type { ClusterClaim } from './cluster-claim.ts'
import type { ObjectFacts, ObjectKind } from './object-facts.ts'

/** No clock that is only badly set explains a larger difference: what is reported that late are old events. */
export const CLOCK_ERROR_MS_MAX = 45 * 60_000

/** One state of one Kubernetes object, as reported by a Collector's `k8sobjects` receiver. */
export interface ObjectObservation {
  readonly cluster: string
  /** Of the object; a new object of an old name has another one. */
  readonly uid: string
  readonly name: string
  /** Empty for what has none. */
  readonly namespace: string
  /** A decimal number in every API server known; compared as a number within one cluster. */
  readonly resourceVersion: string
  readonly change: ObjectChange
  /**
   * When the Collector observed it; of repeats the earliest. A state that is observed again long after a later one is reported
   * twice, the second time at the earliest moment at which no wrong clock explains it.
   */
  readonly observedMs: number
  /** The stored part of the object; its `kind` is the plural of the resource. */
  readonly facts: ObjectFacts
  /** Absent: not reported. Readers of all observations receive it for HyperConverged, of which settings are attributed. */
  readonly manager?: FieldManager
}

/** Who wrote to an object last, as `metadata.managedFields` names it. */
export interface FieldManager {
  /** `virt-operator`, `kubectl-edit`, ... */
  readonly name: string
  /** `Update`, `Apply`; empty: not reported. */
  readonly operation: string
  /** `status`, ...; empty: the object itself. */
  readonly subresource: string
}

/** `listed`: found by a pull. An `added` at a Collector's start is no creation: see `createdMs`. */
export type ObjectChange = 'added' | 'modified' | 'deleted' | 'listed'

/** A change of an object. */
export interface ObjectTransition {
  readonly after: ObjectObservation
  /** Absent: the history of the object begins with it. */
  readonly before?: ObjectFacts
  /** The last manager when the state was first seen; absent: not reported. */
  readonly manager?: FieldManager
}

/**
 * An object whose deletion was not observed: it was missing in two consecutive listings of its scope.
 * It was there at `lastSeenMs` and was not at `absentMs`.
 */
export interface ObjectAbsence {
  readonly cluster: string
  /** An object is identified by kind and uid: senders that make up uids may use one for several kinds. */
  readonly kind: ObjectKind
  readonly uid: string
  readonly lastSeenMs: number
  readonly absentMs: number
}

/** A period in which one series of one cluster had one value, exact to one scrape. HA replicas are merged. */
export interface MetricRun {
  readonly cluster: string
  readonly signal: MetricSignal
  /** Of the series, as far as the signal reads them; sorted by name. */
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** First and last sample with this value. */
  readonly firstMs: number
  readonly lastMs: number
  /** The previous scrape, with another value or without the series; `undefined`: the history begins here. */
  readonly beforeMs?: number
  /** The first scrape after `lastMs`, with another value or without the series; `undefined`: the run is current. */
  readonly afterMs?: number
}

/** The signals that are read from metrics, by their current names. */
export type MetricSignal =
  | 'csv_succeeded'
  | 'csv_abnormal'
  | 'subscription'
  | 'kubevirt_nodes'
  | 'hco_health'
  | 'outdated_vmis'
  | 'platform'
  | 'out_of_band'
  | 'unsafe_modifications'
  | 'migrations_pending'
  | 'migrations_scheduling'
  | 'migrations_running'
  | 'virt_handler'
  | 'operand_ready'
  | 'machine_config'
  | 'cordoned'
  | 'descheduler'
  | 'nmo_in_use'
  | 'kvm_nodes'
  | 'storage_profile'
  | 'deprecated_api'
  | 'non_evictable'
  | 'deprecated_machines'

/** Signals of series that this server records: they continue for a while without the cluster and are no heartbeat. */
export const RECORDED_SIGNALS: ReadonlySet<MetricSignal> = new Set(['non_evictable', 'deprecated_machines'])

/** A span an operator sent itself (src/fleet/CONVENTIONS.md), as far as an upgrade reads it. */
export interface SpanEvidence {
  readonly cluster: string
  readonly traceId: string
  readonly spanId: string
  /** `upgrade kubevirt-hyperconverged`, `olm.csv.pending`, `component.upgrade`, ... */
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly isError: boolean
  readonly errorMessage: string
  /** Texts only; numbers and booleans as text. */
  readonly attributes: Readonly<Record<string, string>>
}

/** All observations of one cluster, in any order. */
export interface ClusterObservations {
  readonly cluster: string
  /** The other names its senders gave it, sorted: `k8s.cluster.name`, the uid of its namespace kube-system. */
  readonly aliases?: readonly string[]
  /** The names under which some of its data is stored, until these were joined into it. */
  readonly members?: readonly string[]
  /** Names that were refused to it, or to another cluster because it has them. */
  readonly conflicts?: readonly ClusterClaim[]
  /** The last report of any object, also without changes, rounded down to the hour: a heartbeat. */
  readonly objectsLastSeenMs?: number
  readonly objects: readonly ObjectObservation[]
  readonly absences: readonly ObjectAbsence[]
  readonly metrics: readonly MetricRun[]
  readonly spans: readonly SpanEvidence[]
}
