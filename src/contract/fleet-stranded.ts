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
    '`failing`: upgrades to newer versions ended in the last 90 days, and none succeeded. `never_left`: no upgrade ' +
      'from the version has been observed. `not_lately`: the last upgrade from it was more than 90 days ago. `not_offered`: ' +
      'other clusters upgraded, but these report the latest version of their channel while peers were offered a newer one ' +
      'more than 28 days ago. The first three do not apply while an upgrade from the version is active and none failed.',
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
