/** Input cannot be written: it is refused until then, and senders retry. */
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

/** A part of what is stored cannot be read: it is left out. */
interface DamageFault {
  readonly count: number
  /** The oldest and the newest time of samples that may be missing; undefined: none are, as far as known. */
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  /** What is damaged, and how it shows: of the first one. */
  readonly kind: string
  readonly message: string
}

/** Current faults of the server: its answers may be outdated or incomplete. */
export interface ServerFaults {
  readonly storage: StorageFault | undefined
  readonly damage: DamageFault | undefined
  /** The number of rules whose last evaluation failed; their alerts are unchanged since. */
  readonly failingRules: number
}
