/**
 * What exactly one of several processes does: derive a cluster, evaluate a group of rules, notify. A lease has an owner and a
 * number that rises each time it changes hands: what is written under a lease carries the number, and is refused when the
 * lease has a newer one.
 */

export const LEASE_KINDS = ['cluster', 'rules', 'alerts'] as const
export type LeaseKind = (typeof LEASE_KINDS)[number]

export interface Lease {
  readonly kind: LeaseKind
  /** A cluster, the key of a group of rules; of `alerts` there is one, `all`. */
  readonly name: string
  readonly fence: number
}

export const ALERTS_LEASE = 'all'

/** A process among those that share the facts, as of one moment. */
export interface ProcessRecord {
  readonly name: string
  readonly version: string
  readonly roles: readonly string[]
  readonly startedMs: number
  /** Since its last heartbeat, by the clock of the database. */
  readonly silentMs: number
}

/** How many there are of a kind, how many this process owns, and how many nobody who lives does. */
export interface LeaseCounts {
  readonly total: number
  readonly mine: number
  readonly free: number
}

/** The leases of one process. Implemented by `store`, used by `deployment`. */
export interface LeaseStore {
  /**
   * Heartbeat: the process lives for `livesForMs` from now, by the clock of the database. False: another process of
   * this name has started, and has everything. @returns those that live, this one among them
   */
  beat(livesForMs: number): Promise<readonly ProcessRecord[] | undefined>
  /** Adds names that nobody owns yet. */
  register(kind: LeaseKind, names: readonly string[]): Promise<void>
  count(kind: LeaseKind): Promise<LeaseCounts>
  /** Takes up to `max` that nobody who lives owns. @param names only of these; absent: of all */
  take(kind: LeaseKind, max: number, names?: readonly string[]): Promise<readonly Lease[]>
  /** Those that this process does not own any more are left alone. */
  release(kind: LeaseKind, names: readonly string[]): Promise<void>
  /** Those that are owned, with their numbers: after a connection was lost, and when others may have taken some. */
  mine(): Promise<readonly Lease[]>
  /** The process has ended: what it owned is free. */
  leave(): Promise<void>
}
