/** What is stored about one cluster. */
export interface ClusterReport {
  /** The cluster and the other names it goes by. */
  readonly names: readonly string[]
  readonly stored: readonly StoredPart[]
}

export interface StoredPart {
  readonly what: StoredKind
  /** A kind of objects; absent: the whole part. */
  readonly kind?: string
  /** Series, objects, spans, records, occurrences, ... */
  readonly count: number
  /** In the file, approximately; absent: not measured. */
  readonly bytes?: number
  readonly oldestMs?: number
  readonly newestMs?: number
  /** Names of metrics and labels, paths of fields: the first `STORED_NAMES_MAX`. */
  readonly names?: readonly string[]
  readonly labels?: readonly string[]
  /** Only a part of the file was looked at. */
  readonly isPartial?: boolean
}

export const STORED_KINDS = [
  'series',
  'samples',
  'rollups',
  'objects',
  'metric_runs',
  'traces',
  'log_records',
  'upgrades',
  'modifications',
  'versions',
  'alerts',
  'runbook_work',
  'external_alerts',
  'silences',
  'deliveries',
  'audit',
  'claims',
  'tokens',
  'sessions',
] as const
export type StoredKind = (typeof STORED_KINDS)[number]

export const STORED_NAMES_MAX = 1000
