/** What arrives cannot be written: it is refused until it can be, and senders repeat it. */
interface StorageFault {
  /** When it was first seen; the failed write may be a second older. */
  readonly sinceMs: number
  readonly code: 'storage_full' | 'storage_failed'
  /** The message of the operating system or SQLite. */
  readonly message: string
  /** Of the disk that the store is on. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** What the server itself cannot do now: what it answers may be old or not whole by that. */
export interface ServerFaults {
  readonly storage: StorageFault | undefined
  /** The number of rules whose last evaluation failed; their alerts are unchanged since. */
  readonly failingRules: number
}
