import {
  NOTHING,
  opaque,
  type BundleFact,
  type BundlePhase,
  type BundleQuery,
  type BundleSubject,
} from '../../bundle/content.ts'
import type { TimeRange } from '../../model/time-range.ts'

/** What a verdict on a rollout brings into its bundle. */
export interface RolloutEvidence {
  readonly id: string
  /** `Rollout of 1.17.0: hold`. */
  readonly title: string
  /** The verdict, with its policy, cohorts and evidence. */
  readonly record: unknown
  readonly window: TimeRange
  readonly asOfMs: number
  /** Of all cohorts. Objects and log records are read of the first ones. */
  readonly clusters: readonly string[]
  readonly facts: readonly BundleFact[]
  readonly queries: readonly BundleQuery[]
  readonly phases?: readonly BundlePhase[]
}

export function rolloutSubject({ record, ...evidence }: RolloutEvidence): BundleSubject {
  return { ...NOTHING, kind: 'rollout', ...evidence, record: opaque(record) }
}
