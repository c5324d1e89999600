import { Type } from 'typebox'
import { UPGRADE_OPERATORS } from '../model/upgrade.ts'
import {
  FleetCoverage,
  limitSchema,
  listOf,
  MOMENT_PARAMS,
  OrderParam,
  orNull,
  PAGE_PARAMS,
  PAST_FIELD,
  Time,
  wordOf,
  type Shape,
} from './common.ts'
import { DURATION_FIELDS, EDGE_PARAMS } from './fleet-upgrades.ts'

/** Edges of the upgrade graph, each over all its upgrades. */

export const DurationItem = Type.Object(DURATION_FIELDS)
export type DurationItem = Shape<typeof DurationItem>

export const EdgeItem = Type.Object({
  operator: wordOf(UPGRADE_OPERATORS),
  from: Type.String(),
  to: Type.String(),
  attempts: Type.Integer(),
  outcomes: Type.Object({
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    superseded: Type.Integer(),
    rolledBack: Type.Integer(),
    inProgress: Type.Integer(),
    unknown: Type.Integer(),
  }),
  /** Of the upgrades that ended, with Wilson's 95 % interval; `null`: none ended. */
  success: orNull(Type.Object({ share: Type.Number(), low: Type.Number(), high: Type.Number(), of: Type.Integer() })),
  duration: DurationItem,
  phases: Type.Array(Type.Object({ phase: Type.String(), ...DURATION_FIELDS })),
  firstAt: orNull(Time),
  lastAt: orNull(Time),
})
export type EdgeItem = Shape<typeof EdgeItem>

/** The window of upgrades; one of the two. */
const WINDOW_PARAMS = {
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only upgrades started at this time or later.' }),
  ),
  window: Type.Optional(
    Type.String({
      pattern: '^([0-9]+(ms|[ywdhms]))+$',
      description: 'Only upgrades started within this duration, such as `7d`, rounded down to the hour.',
    }),
  ),
} as const

/** The start of the window; `null`: all stored upgrades. */
const SINCE_FIELD = { since: orNull(Time) } as const

/** `success_low`: by the lower bound of the interval, which is low with few runs. */
export const EDGE_SORTS = ['version', 'attempts', 'success', 'success_low', 'duration', 'last'] as const

/** `GET /api/fleet/v1/edges`. */
export const EdgesQuery = Type.Object({
  ...EDGE_PARAMS,
  sort: Type.Optional(wordOf(EDGE_SORTS, 'Sort key; default: `version` (newest first).')),
  order: OrderParam,
  ...WINDOW_PARAMS,
  ...MOMENT_PARAMS,
  ...PAGE_PARAMS,
})
export type EdgesQuery = Shape<typeof EdgesQuery>

export const EdgeItems = listOf({ ...SINCE_FIELD, edges: Type.Array(EdgeItem) })
export type EdgeItems = Shape<typeof EdgeItems>

/** `GET /api/fleet/v1/edges/runs`: single upgrades with the size of their clusters. */
export const RUNS_MAX = 2000
export const RunsQuery = Type.Object({
  ...EDGE_PARAMS,
  phase: Type.Optional(Type.String({ description: 'Duration of this phase; default: of the complete upgrade.' })),
  ...WINDOW_PARAMS,
  ...MOMENT_PARAMS,
  limit: limitSchema(RUNS_MAX, RUNS_MAX),
})

/** `nodes`: of the cluster at the start; `null`: unknown. */
export const RunItem = Type.Object({
  id: Type.String(),
  cluster: Type.String(),
  operator: wordOf(UPGRADE_OPERATORS),
  from: Type.String(),
  to: Type.String(),
  nodes: orNull(Type.Integer()),
  startedAt: orNull(Time),
  seconds: Type.Number(),
  /** False: censored, the real duration is longer or unbounded. */
  finished: Type.Boolean(),
})
export type RunItem = Shape<typeof RunItem>

/** `fromNodes` `null`: upgrades of clusters of unknown size; `toNodes` `null`: no bound. Bounds are inclusive. */
export const SizeClassItem = Type.Object({
  fromNodes: orNull(Type.Integer()),
  toNodes: orNull(Type.Integer()),
  ...DURATION_FIELDS,
})
export type SizeClassItem = Shape<typeof SizeClassItem>

/** The newest runs; `total` and `classes` are of all of them. */
export const RunItems = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  ...SINCE_FIELD,
  total: Type.Integer(),
  classes: Type.Array(SizeClassItem),
  runs: Type.Array(RunItem),
})
export type RunItems = Shape<typeof RunItems>

/** `GET /api/fleet/v1/edges/compare?first=1.15.0..1.16.0&second=1.16.0..1.17.0`. */
export const CompareQuery = Type.Object({
  operator: Type.Optional(wordOf(UPGRADE_OPERATORS, 'Default: `kubevirt-hyperconverged`.')),
  first: Type.String({ description: 'An upgrade path as `FROM..TO`.' }),
  second: Type.String({ description: 'The upgrade path to compare with, as `FROM..TO`.' }),
  ...WINDOW_PARAMS,
  ...MOMENT_PARAMS,
})

const durationVerdict = {
  verdict: wordOf(['faster', 'slower', 'no_difference', 'insufficient_data']),
  /** Ended runs missing for a verdict, on both edges together. */
  moreNeeded: Type.Integer(),
  /** Of the log-rank test. */
  pValue: orNull(Type.Number()),
  chiSquare: orNull(Type.Number()),
} as const

export const EdgeComparisonItem = Type.Object({
  asOf: Time,
  ...PAST_FIELD,
  ...SINCE_FIELD,
  first: EdgeItem,
  second: EdgeItem,
  /** Of the first against the second. */
  success: Type.Object({
    verdict: wordOf(['better', 'worse', 'no_difference', 'insufficient_data']),
    moreNeeded: Type.Integer(),
    /** Of the shares that succeeded, with Newcombe's 95 % interval. */
    difference: orNull(Type.Object({ difference: Type.Number(), low: Type.Number(), high: Type.Number() })),
  }),
  duration: Type.Object(durationVerdict),
  phases: Type.Array(Type.Object({ phase: Type.String(), ...durationVerdict })),
})
export type EdgeComparisonItem = Shape<typeof EdgeComparisonItem>
