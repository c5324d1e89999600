import { Type } from 'typebox'
import { FleetCoverage, MOMENT_PARAMS, PAST_FIELD, Time, type Shape } from './common.ts'

/** Clusters that are probably one: their senders give them different names. */

export const UNJOINED_MAX = 200

/** `GET /api/fleet/v1/unjoined` */
export const UnjoinedQuery = Type.Object(MOMENT_PARAMS)

export const UnjoinedItems = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  /** Of all pairs; `unjoined` has the first by name. */
  total: Type.Integer(),
  unjoined: Type.Array(
    Type.Object({
      clusters: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
      by: Type.String({ description: 'One of the two names, or a UUID that both have as an alias.' }),
      action: Type.String(),
    }),
    { maxItems: UNJOINED_MAX },
  ),
})
export type UnjoinedItems = Shape<typeof UnjoinedItems>
