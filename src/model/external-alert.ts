import type { Labels } from './labels.ts'

/** An alert that a client POSTed, such as a cluster's own Prometheus, as stored, with Alertmanager's field names. */
export interface ExternalAlertRecord {
  /** `fingerprintOf` the labels, which hold `cluster` when any alias of it was there. */
  readonly fingerprint: string
  readonly labels: Labels
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAtMs: number
  /** Resolved from then on, unless it is sent again before. */
  readonly endsAtMs: number
  readonly updatedAtMs: number
  /** The first report of this occurrence. */
  readonly receivedAtMs: number
  /** The sender named no end, so it ends `resolve_timeout` after it was last posted. */
  readonly isTimeout: boolean
  /** Empty when the sender gave none. */
  readonly generatorUrl: string
  /** Who reported it first: `token NAME`, or `address A` without a token; empty where an older version stored it. */
  readonly sender: string
}

/** Selects alerts for removal; absent parts match everything. */
export interface RemovalFilter {
  readonly sender?: string
  readonly cluster?: string
  readonly fingerprint?: string
}
