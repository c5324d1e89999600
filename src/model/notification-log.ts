import type { Lease } from './lease.ts'

/** The last notification of one group to one receiver. */
export interface NotificationLogEntry {
  /** Group, receiver and integration. */
  readonly key: string
  readonly atMs: number
  /** Fingerprints. */
  readonly firing: readonly string[]
  readonly resolved: readonly string[]
  readonly expiresAtMs: number
}

/** Stores the log over a restart, so that nobody is notified twice. Implemented by `store`, used by `notify`. */
export interface NotificationLogStore {
  load(): Promise<readonly NotificationLogEntry[]>
  /** Replaces what is there under the same keys; durable when it resolves. */
  put(entries: readonly NotificationLogEntry[]): Promise<void>
  prune(expiredBeforeMs: number): Promise<void>
}

/** Where several processes notify. */
export interface NotificationClaims {
  /**
   * Notes that this process sends the notification after which `entry` is put: others may send it when no entry follows
   * within `CLAIM_FOR_MS`, by the clock of the database.
   * @param afterMs the time of the entry that this process knows; absent: none
   * @param under the lease of all notifications
   */
  claim(
    entry: Pick<NotificationLogEntry, 'key' | 'atMs'>,
    afterMs: number | undefined,
    under: Lease,
  ): Promise<NotificationClaim>
  /** Ends a claim of this process without an entry: the attempt has failed, so any process may make the next one at once. */
  release(key: string): Promise<void>
}

/** Whether this process may send a notification. */
export type NotificationClaim =
  | { readonly kind: 'claimed' }
  /** Another process may be sending it, or has ended while it did. */
  | { readonly kind: 'busy' }
  /** Another process has sent it, with its entry, or sends everything from now on. */
  | { readonly kind: 'done'; readonly entry?: NotificationLogEntry }

/**
 * Longer than an attempt takes: a receiver has ten seconds, unless the configuration gives it more. When a process ends between
 * claim and entry, it is unknown whether it has sent the notification: another one sends it after this time.
 */
export const CLAIM_FOR_MS = 60_000
