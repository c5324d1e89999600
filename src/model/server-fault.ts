/** What arrives cannot be written: it is refused until it can be, and senders repeat it. */
interface StorageFault {
  /** When it was first seen; the failed write may be a second older. */
  readonly sinceMs: number
  readonly code: 'storage_full' | 'storage_failed'
  /** What the operating system or SQLite says. */
  readonly message: string
  /** Of the disk that the store is on. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** What the server itself cannot do now: what it answers may be old or not whole by that. */
export interface ServerFaults {
  readonly storage: StorageFault | undefined
  /** Rules of which the last evaluation failed: the alerts of these stand as they were. */
  readonly failingRules: number
}
