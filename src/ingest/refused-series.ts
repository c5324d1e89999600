import type { RefusalReason } from '../model/refusal.ts'

/** Why the samples of one label set are not taken, whatever their times and values. */
export interface RefusedSeries {
  readonly reason: RefusalReason
  /** What was got and what was wanted, in one sentence. */
  readonly example: string
  /** Of which cluster, when that is known. */
  readonly cluster?: string
}
