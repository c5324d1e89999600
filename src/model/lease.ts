/**
 * What exactly one of several processes does: derive a cluster, evaluate a group of rules, notify. A lease has an owner and a
 * number that rises each time it changes hands: what is written under a lease carries the number, and is refused when the
 * lease has a newer one.
 */
import type { ProcessReport } from './process-report.ts'

export const LEASE_KINDS = ['cluster', 'rules', 'alerts'] as const
export type LeaseKind = (typeof LEASE_KINDS)[number]

export interface Lease {
  readonly kind: LeaseKind
  /** A cluster, the key of a group of rules; of `alerts` there is one, `all`. */
  readonly name: string
  readonly fence: number
}

export const ALERTS_LEASE = 'all'

/** `ended`: it ended in order, and not all of its samples are in the metrics store. `silent`: its heartbeats stopped. */
export type ProcessState = 'running' | 'ended' | 'silent'

/** A process among those that share the facts, as of one moment. */
export interface ProcessRecord {
  readonly name: string
  readonly version: string
  readonly roles: readonly string[]
  readonly startedMs: number
  readonly state: ProcessState
  readonly isSelf: boolean
  /** Since its last heartbeat, by the clock of the database. */
  readonly silentMs: number
  /** As of its last heartbeat; absent: its release reports nothing. */
  readonly report: ProcessReport | undefined
}

/** All processes, as one of them knows them. */
export interface DeploymentView {
  /** By name; empty before the first heartbeat. */
  readonly processes: readonly ProcessRecord[]
  /** Since this process knew them: a few seconds, and longer while PostgreSQL is unavailable. */
  readonly unheardMs: number
  /** Why its last heartbeat failed. */
  readonly fault?: string
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
   * this name has started, and has everything. @returns all that are known, by name, this one among them
   */
  beat(livesForMs: number, report: ProcessReport): Promise<readonly ProcessRecord[] | undefined>
  /** Adds names that nobody owns yet. */
  register(kind: LeaseKind, names: readonly string[]): Promise<void>
  count(kind: LeaseKind): Promise<LeaseCounts>
  /** Takes up to `max` that nobody who lives owns. @param names only of these; absent: of all */
  take(kind: LeaseKind, max: number, names?: readonly string[]): Promise<readonly Lease[]>
  /** Those that this process does not own any more are left alone. */
  release(kind: LeaseKind, names: readonly string[]): Promise<void>
  /** Those that are owned, with their numbers: after a connection was lost, and when others may have taken some. */
  mine(): Promise<readonly Lease[]>
  /** The process ends: what it owned is free. Until `remove`, the others know what it reported last. */
  leave(report: ProcessReport): Promise<void>
  /** The process has ended, and nothing that others wait for is in its data folder. */
  remove(): Promise<void>
  /** Removes a process that will not return. False: there is none of this name that is not running. */
  forget(name: string): Promise<boolean>
}
