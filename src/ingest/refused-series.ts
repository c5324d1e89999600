import type { RefusalReason } from '../model/refusal.ts'

/** Why all samples of one label set are refused, whatever their times and values. */
export interface RefusedSeries {
  readonly reason: RefusalReason
  /** Got and want, in one sentence. */
  readonly example: string
  /** The cluster, if known. */
  readonly cluster?: string
}
