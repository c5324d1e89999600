import type { ClusterRecord } from './cluster-record.ts'

/**
 * A period in which one value of a cluster's record was as it is here: a condition, a setting, the nodes. By the cluster's
 * clock; without an end: it still is. Periods of one key never overlap; between two of them nothing was reported.
 */
export interface ValueInterval {
  /** `condition/Available`, `settings/liveMigration/progressTimeout`, `nodes`, `pool/worker`, ... */
  readonly key: string
  readonly fromMs: number
  readonly untilMs?: number
  /** JSON. */
  readonly value: unknown
}

/** The fields of a record whose past values are stored. */
export const STORED_FIELDS = [
  'subscription',
  'conditions',
  'systemHealth',
  'isTainted',
  'upgradeable',
  'settings',
  'nodes',
  'pools',
  'goldenImages',
  'descheduler',
  'workloads',
  'hyperConverged',
  'hcoSubscription',
  'telemetryOff',
  'hyperConvergedRemovedMs',
] as const satisfies readonly (keyof ClusterRecord)[]

/** The part of a record whose past values are stored. */
export type StoredValues = Pick<ClusterRecord, (typeof STORED_FIELDS)[number]>
