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
