import { Type } from 'typebox'
import { STRANDING_REASONS } from '../model/stranded.ts'
import { FleetCoverage, MOMENT_PARAMS, orNull, PAST_FIELD, Time, wordOf, type Shape } from './common.ts'

/** Versions without a known working upgrade path. */

/** The maximum of named clusters of a version. */
export const STRANDED_NAMED_MAX = 50

export const StrandedItem = Type.Object({
  /** Of HCO. */
  version: Type.String(),
  reason: wordOf(
    STRANDING_REASONS,
    '`failing`: upgrades from it to newer versions ended in the last 90 days, and none succeeded. `never_left`: nobody ' +
      'was ever seen leaving it. `not_lately`: the last who left it did so more than 90 days ago. `not_offered`: others ' +
      'left it, but these clusters say that they are at the latest of their channel while peers were offered a newer one ' +
      'more than 28 days ago. The first three do not hold while an upgrade from it is under way and none failed.',
  ),
  /** The number of stranded clusters, of those on this version with a report in the last 7 days. */
  clusters: Type.Integer(),
  population: Type.Integer(),
  /** The first of them by name. */
  names: Type.Array(Type.String(), { maxItems: STRANDED_NAMED_MAX }),
  /** Newest version of the same major that any cluster runs. */
  newest: Type.String(),
  /** Upgrades from it to newer versions that ended in the last 90 days, and how many of them succeeded. */
  endedLately: Type.Integer(),
  succeededLately: Type.Integer(),
  /** `null`: no upgrade from it was seen. */
  lastLeftAt: orNull(Time),
  /** Clusters on it that were not offered the versions offered to their peers. */
  notOffered: Type.Integer(),
})
export type StrandedItem = Shape<typeof StrandedItem>

/** `GET /api/fleet/v1/stranded`: the most clusters first. */
export const StrandedQuery = Type.Object(MOMENT_PARAMS)

export const StrandedItems = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  /** Clusters on all these versions together. */
  total: Type.Integer(),
  stranded: Type.Array(StrandedItem),
})
export type StrandedItems = Shape<typeof StrandedItems>
