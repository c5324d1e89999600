import { Type, type Static } from 'typebox'

/**
 * `/debug/series`: how many series there are, and what they are made of, as the index has them: series without a sample
 * in the retention are not among them. Lists have at most `?top=` entries, largest first, 20 when it does not say, never
 * more than `DEBUG_SERIES_TOP_MAX`; `?by=` names the label of the last list, `cluster` when it does not say.
 */
export const DEBUG_SERIES_TOP_MAX = 1000

const ByValue = Type.Object({
  /** How many values there are in all. */
  count: Type.Number(),
  top: Type.Array(
    Type.Object({
      value: Type.String(),
      series: Type.Number(),
      /** Of these, how many are new since `sinceMs`. */
      added: Type.Number(),
    }),
  ),
  /** Those with the most new series since `sinceMs`; without any they are not listed. */
  growing: Type.Array(Type.Object({ value: Type.String(), series: Type.Number(), added: Type.Number() })),
})

export const DebugSeries = Type.Object({
  asOfMs: Type.Number(),
  series: Type.Number(),
  /** Series that are new since `sinceMs`. */
  added: Type.Number(),
  /** An hour before, or later when the server has not watched for an hour. */
  sinceMs: Type.Number(),
  metrics: ByValue,
  labels: Type.Object({
    count: Type.Number(),
    top: Type.Array(Type.Object({ name: Type.String(), values: Type.Number(), series: Type.Number() })),
  }),
  by: Type.Object({ label: Type.String(), values: ByValue }),
})
export type DebugSeries = Static<typeof DebugSeries>
