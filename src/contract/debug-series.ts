import { Type } from 'typebox'
import type { Shape } from './common.ts'

/**
 * `/debug/series`: cardinality of the series in the index, which excludes series without a sample in the retention. Lists
 * have at most `?top=` entries, largest first, 20 by default, never more than `DEBUG_SERIES_TOP_MAX`; `?by=` names the
 * label of the last list, `cluster` by default.
 */
export const DEBUG_SERIES_TOP_MAX = 1000

const ByValue = Type.Object({
  /** The total number of values. */
  count: Type.Number(),
  top: Type.Array(
    Type.Object({
      value: Type.String(),
      series: Type.Number(),
      /** The number of these that are new since `sinceMs`. */
      added: Type.Number(),
    }),
  ),
  /** Clusters with the most new series since `sinceMs`; only those with any. */
  growing: Type.Array(Type.Object({ value: Type.String(), series: Type.Number(), added: Type.Number() })),
})

export const DebugSeries = Type.Object({
  asOfMs: Type.Number(),
  series: Type.Number(),
  /** Series that are new since `sinceMs`. */
  added: Type.Number(),
  /** An hour before, or the start of the server if that is later. */
  sinceMs: Type.Number(),
  metrics: ByValue,
  labels: Type.Object({
    count: Type.Number(),
    top: Type.Array(Type.Object({ name: Type.String(), values: Type.Number(), series: Type.Number() })),
  }),
  by: Type.Object({ label: Type.String(), values: ByValue }),
})
export type DebugSeries = Shape<typeof DebugSeries>
