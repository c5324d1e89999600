import type { ClusterClaim, ClusterJoin } from './cluster-claim.ts'
import type { ClusterRecord, Modification, VersionInterval } from './cluster-record.ts'
import type { ValueInterval } from './cluster-value.ts'
import type { Lease } from './lease.ts'
import type { ClusterObservations, MetricRun, ObjectObservation, ObjectTransition } from './observation.ts'
import type { Upgrade, UpgradeOperator, UpgradeRecord, UpgradeState } from './upgrade.ts'

/** All facts of one cluster, sorted, so that equal facts are equal bytes. */
export interface ClusterFacts {
  readonly cluster: ClusterRecord
  readonly intervals: readonly VersionInterval[]
  readonly upgrades: readonly UpgradeRecord[]
  readonly modifications: readonly Modification[]
  /** Past conditions, settings and nodes, by key and start; absent: not read (`FleetFactsReader.values` reads them). */
  readonly values?: readonly ValueInterval[]
}

/** Which objects of one kind a pull found in one namespace (empty: cluster-scoped). */
export interface ObjectListing {
  readonly cluster: string
  readonly resource: string
  readonly namespace: string
  readonly observedMs: number
  readonly uids: readonly string[]
}

/** Writes observations, on the ingest worker; durable with the appender's next commit. */
export interface ObservationSink {
  /** False: the cluster has so many objects that it takes no new ones, and this is one. */
  admits(object: Pick<ObjectObservation, 'cluster' | 'uid' | 'facts'>): boolean
  /** Stores the first and the last observation of each distinct state; repeats of a version with their earliest time. */
  putObjects(observations: readonly ObjectObservation[]): void
  putListings(listings: readonly ObjectListing[]): void
  /** Stores claims of names, in place of equal ones (cluster and name). */
  putClaims(claims: readonly ClusterClaim[]): void
  removeClaims(claims: readonly ClusterClaim[]): void
  putJoins(joins: readonly ClusterJoin[]): void
  /** Replaces the cluster's runs that begin (`firstMs`) at `fromMs` or later; all of these do. Equal rows cost nothing. */
  putRuns(cluster: string, fromMs: number, runs: readonly MetricRun[]): void
}

/** The requested transitions; both times are inclusive. */
export interface ChangesRange {
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
  /** Of one object; absent: of all. */
  readonly uid?: string
}

export interface ObservationReader {
  /**
   * Clusters with observations that were written after a position, and the newest position. Positions only rise; 0 is
   * before everything.
   */
  changedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }>
  /** Names that are joined into a cluster, and that cluster. */
  joins(): Promise<ReadonlyMap<string, string>>
  /** All stored observations of one cluster and of the names that are joined into it; spans are read elsewhere. */
  read(cluster: string): Promise<Omit<ClusterObservations, 'spans'>>
  /** The runs that are stored under a name, by signal, labels and start. */
  runs(cluster: string): Promise<readonly MetricRun[]>
  /**
   * The last report of objects by cluster, including unchanged objects, and the newest sample when others than this process
   * receive samples; only clusters with one after a time.
   */
  lastSeenSince(
    timeMs: number,
  ): Promise<readonly { readonly cluster: string; readonly objectsMs?: number; readonly metricsMs?: number }[]>
  /** The time of the oldest stored observation of a cluster; facts about earlier times stay unchanged. */
  oldestMs(cluster: string): Promise<number | undefined>
  /** Changes of objects of a cluster and of the names that are joined into it, the newest first. */
  changes(cluster: string, range: ChangesRange): Promise<readonly ObjectTransition[]>
}

/** A change of the stored facts of one cluster. */
export interface FactsChange {
  readonly cluster: string
  /** Absent: the record is unchanged. */
  readonly record?: ClusterRecord
  /** The cluster was joined into another one, which has all its facts: its record is removed. */
  readonly isGone?: boolean
  readonly upgrades: ListChange<UpgradeRecord>
  readonly intervals: ListChange<VersionInterval>
  readonly modifications: ListChange<Modification>
  /** All past values of the cluster; absent: unchanged. */
  readonly values?: readonly ValueInterval[]
}

export interface ListChange<T> {
  readonly removed: readonly T[]
  /** Added, or in place of the one with the same key. */
  readonly put: readonly T[]
}

export const UPGRADE_SORTS = ['started', 'ended', 'duration', 'cluster'] as const

export interface UpgradeQuery {
  readonly cluster?: string
  /** Of these clusters alone; absent: of all. */
  readonly clusters?: readonly string[]
  readonly operator?: UpgradeOperator
  readonly from?: string
  readonly to?: string
  readonly states?: readonly UpgradeState[]
  /** By start, both inclusive; those without a start are before everything. */
  readonly fromMs?: number
  readonly toMs?: number
  readonly sort: (typeof UPGRADE_SORTS)[number]
  readonly isDescending: boolean
  /** Keyset pagination: after this one in the requested order. */
  readonly after?: { readonly key: string | number; readonly id: string }
  readonly limit: number
}

/** Unknown times and durations sort first. */
const UNKNOWN_KEY = -1

/** The sort key of an upgrade. */
export function upgradeKeyOf(upgrade: Upgrade, sort: UpgradeQuery['sort']): string | number {
  const { cluster, startedMs, endedMs } = upgrade
  switch (sort) {
    case 'started':
      return startedMs ?? UNKNOWN_KEY
    case 'ended':
      return endedMs ?? UNKNOWN_KEY
    case 'cluster':
      return cluster
    case 'duration':
      return startedMs === undefined || endedMs === undefined ? UNKNOWN_KEY : endedMs - startedMs
  }
}

/** The sort key of a modification. */
export function modificationKeyOf(modification: Modification): number {
  return modification.startedMs ?? UNKNOWN_KEY
}

export interface ModificationQuery {
  readonly cluster?: string
  /** Of these clusters alone; absent: of all. */
  readonly clusters?: readonly string[]
  readonly kind?: Modification['kind']
  readonly component?: string
  readonly isOpen?: boolean
  readonly fromMs?: number
  readonly toMs?: number
  /** Newest first, after this one. */
  readonly after?: { readonly key: number; readonly id: string }
  readonly limit: number
}

/** Reads facts. `clusters` returns the whole fleet, some ten thousand rows, which the caller filters. */
export interface FleetFactsReader {
  clusters(): Promise<readonly ClusterRecord[]>
  /** Upgrades by start and id, intervals by operator, start and version, modifications by start and id. */
  cluster(name: string): Promise<ClusterFacts | undefined>
  upgrades(query: UpgradeQuery): Promise<readonly UpgradeRecord[]>
  upgrade(id: string): Promise<UpgradeRecord | undefined>
  modifications(query: ModificationQuery): Promise<readonly Modification[]>
  /** Those that hold at a time, of all operators. @param clusters of these alone; absent: of all */
  intervalsAt(timeMs: number, clusters?: readonly string[]): Promise<readonly VersionInterval[]>
  /** The past values of some clusters, by key and start; without clusters that have none. */
  values(clusters: readonly string[]): Promise<ReadonlyMap<string, readonly ValueInterval[]>>
}

/** Changes to the facts of many clusters, written together. */
export interface FactsBatch {
  readonly changes: readonly FactsChange[]
  /** Entries of `meta` that are written together with the facts: how far they are derived. */
  readonly meta: readonly (readonly [key: string, value: string])[]
  /** Nothing is written when one of these is another process' by then. */
  readonly under?: readonly Lease[]
}
