import { Type } from 'typebox'
import { orNull, Time, wordOf, type Shape } from './common.ts'

/**
 * Adoption of versions. Every answer includes its basis: the number of known clusters, of clusters that report a
 * version, the days without a count, and the time of the newest count. Days are UTC, `2026-11-21`.
 */

export const DIMENSION_WORDS = ['version', 'minor', 'channel', 'platform', 'region', 'flavour', 'environment'] as const

const Day = Type.String({ format: 'date' })

/** The basis of an answer. Counts are those of its last counted day. */
export const AdoptionBasis = Type.Object({
  operator: Type.String(),
  from: Day,
  to: Day,
  /** Known clusters, clusters that report a version, and their share. */
  known: Type.Integer(),
  telling: Type.Integer(),
  coverage: orNull(Type.Number()),
  /** Days of the range without a count. */
  missingDays: Type.Array(Day),
  updatedAt: orNull(Time),
  /**
   * First 16 digits of the SHA-256 of this answer as CSV (`format=csv`): stable as long as no number in it changes. A link
   * with the digest shows later whether late data changed the cited numbers.
   */
  digest: Type.String(),
})
export type AdoptionBasis = Shape<typeof AdoptionBasis>

const FilterParam = (what: string) =>
  Type.Optional(Type.Array(Type.String(), { description: `Only clusters with ${what}.` }))

const RANGE_PARAMS = {
  operator: Type.Optional(Type.String({ description: 'Default kubevirt-hyperconverged.' })),
  from: Type.Optional(Type.String({ format: 'date', description: 'First day; default: 90 days before the last.' })),
  to: Type.Optional(
    Type.String({ format: 'date', description: 'Last day; default: today, or the last day that had ended at `at`.' }),
  ),
  at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'A past time. Days that had not ended by then are omitted.',
    }),
  ),
  version: FilterParam('this version'),
  channel: FilterParam('this channel; an empty one is written `-`'),
  platform: FilterParam('this platform, such as `openshift 4.20`'),
  region: FilterParam('this region'),
  flavour: FilterParam('this flavour, community or openshift'),
  environment: FilterParam('this environment'),
} as const

/** `json` or `csv`: the same numbers, a line a day and value. */
const FormatParam = Type.Optional(wordOf(['json', 'csv'] as const))

/** `GET /api/adoption/v1/share`: shares over time by one dimension. */
export const ShareQuery = Type.Object({
  ...RANGE_PARAMS,
  by: Type.Optional(wordOf(DIMENSION_WORDS, 'Default version.')),
  format: FormatParam,
})
export type ShareQuery = Shape<typeof ShareQuery>

const ShareLine = Type.Object({
  value: Type.String(),
  /** By day. */
  clusters: Type.Array(Type.Integer()),
  /** Of the reporting clusters; `null` on days without any. */
  share: Type.Array(orNull(Type.Number())),
})

export const ShareAnswer = Type.Object({
  basis: AdoptionBasis,
  days: Type.Array(Day),
  known: Type.Array(Type.Integer()),
  telling: Type.Array(Type.Integer()),
  /** The newest version first; other dimensions by name. */
  series: Type.Array(ShareLine),
})
export type ShareAnswer = Shape<typeof ShareAnswer>

/** `GET /api/adoption/v1/older-than?version=`: the share of clusters below a version, over time. */
export const OlderQuery = Type.Object({
  ...RANGE_PARAMS,
  version: Type.String({ description: 'Clusters with an older version are counted.' }),
  format: FormatParam,
})

/** `GET /api/adoption/v1/spread`: the rise and decline of each version. Aligned by age: index 0 is its first day. */
export const SpreadQuery = Type.Object({
  ...RANGE_PARAMS,
  by: Type.Optional(wordOf(['version', 'minor'] as const, 'Default version.')),
  format: FormatParam,
})

export const SpreadItem = Type.Object({
  version: Type.String(),
  firstDay: Day,
  /** False: it already ran on the first day of the range with a reported version, so its age is at least this. */
  isStartKnown: Type.Boolean(),
  /** Days until this share ran it or a newer version; `null`: not yet reached. */
  to10Days: orNull(Type.Integer()),
  to50Days: orNull(Type.Integer()),
  to90Days: orNull(Type.Integer()),
  peakShare: Type.Number(),
  peakDay: Day,
  halfLifeDays: orNull(Type.Integer()),
  /** `null`: it is older than the first count, and fewer than seven days are counted since. */
  stage: orNull(wordOf(['rising', 'adopted', 'low', 'replaced', 'gone'] as const)),
  clusters: Type.Integer(),
  share: orNull(Type.Number()),
  byAge: Type.Array(orNull(Type.Number())),
})
export type SpreadItem = Shape<typeof SpreadItem>

/**
 * The forecast for the newest version from earlier versions at the same age: of the clusters still missing then, the part
 * that had moved by each later age; p10, p50 and p90 of these versions.
 */
export const ForecastItem = Type.Object({
  version: orNull(Type.String()),
  /** The reason without a forecast; then `fan` and `past` are empty. */
  reason: orNull(wordOf(['no_version', 'start_unknown', 'reached', 'few_earlier'] as const)),
  /** On the last day with a known share. */
  ageDays: Type.Integer(),
  share: Type.Number(),
  /** The versions from which it is computed. */
  earlier: Type.Array(Type.String()),
  /** By age, from the day after `ageDays` on. */
  fan: Type.Array(Type.Object({ low: Type.Number(), mid: Type.Number(), high: Type.Number() })),
  /** Age at a share of 90 %; `null`: beyond the fan. */
  to90Days: Type.Object({ low: orNull(Type.Integer()), mid: orNull(Type.Integer()), high: orNull(Type.Integer()) }),
  /** Days after which `saidShare` is compared with `wasShare`, or at the end of its fan if that is sooner. */
  checkedAfterDays: Type.Integer(),
  /** The forecasts of the same method for earlier versions at that age, from the data known then. */
  past: Type.Array(
    Type.Object({
      version: Type.String(),
      saidTo90Days: orNull(Type.Integer()),
      tookTo90Days: orNull(Type.Integer()),
      saidShare: Type.Number(),
      wasShare: Type.Number(),
      isInside: Type.Boolean(),
    }),
  ),
})
export type ForecastItem = Shape<typeof ForecastItem>
/** `forecast` is not a count: it is neither in the CSV nor in the digest. */
export const SpreadAnswer = Type.Object({
  basis: AdoptionBasis,
  versions: Type.Array(SpreadItem),
  forecast: ForecastItem,
})
export type SpreadAnswer = Shape<typeof SpreadAnswer>

/** `GET /api/adoption/v1/behind`: how far clusters are behind the newest running version, on the last day. */
export const BehindQuery = Type.Object({ ...RANGE_PARAMS, format: FormatParam })
export const BehindAnswer = Type.Object({
  basis: AdoptionBasis,
  /** `null`: no cluster reported a version. */
  newest: orNull(Type.String()),
  /** Clusters by the number of minors, or releases of this fleet, behind; index 0 is up to date. */
  byMinors: Type.Array(Type.Integer()),
  byReleases: Type.Array(Type.Integer()),
})
export type BehindAnswer = Shape<typeof BehindAnswer>

/** `GET /api/adoption/v1/workloads`: the control plane's version against the VMs that run its launcher. */
export const WorkloadsQuery = Type.Object({ ...RANGE_PARAMS, format: FormatParam })
export const WorkloadsAnswer = Type.Object({
  basis: AdoptionBasis,
  days: Type.Array(Day),
  versions: Type.Array(
    Type.Object({
      version: Type.String(),
      /** By day: clusters on it, their running VMs, and those VMs with an older launcher. */
      clusters: Type.Array(Type.Integer()),
      machines: Type.Array(Type.Integer()),
      outdated: Type.Array(Type.Integer()),
      /** The share of those VMs that run it; `null` without reported VMs. */
      share: Type.Array(orNull(Type.Number())),
    }),
  ),
})
export type WorkloadsAnswer = Shape<typeof WorkloadsAnswer>

export const USAGE_SUBJECTS = ['instance_type', 'preference', 'deprecated_api'] as const

/** `GET /api/adoption/v1/usage?subject=`: instance types, preferences and deprecated API versions in use. */
export const UsageQuery = Type.Object({
  subject: Type.Optional(wordOf(USAGE_SUBJECTS)),
  from: RANGE_PARAMS.from,
  to: RANGE_PARAMS.to,
  at: RANGE_PARAMS.at,
  format: FormatParam,
})
export const UsageAnswer = Type.Object({
  from: Day,
  to: Day,
  updatedAt: orNull(Time),
  /** As `digest` of the other answers. */
  digest: Type.String(),
  days: Type.Array(Day),
  /** All clusters, by day, including those that report no usage and are in no item. */
  known: Type.Array(Type.Integer()),
  items: Type.Array(
    Type.Object({
      subject: wordOf(USAGE_SUBJECTS),
      name: Type.String(),
      /** By day. */
      clusters: Type.Array(Type.Integer()),
      count: Type.Array(Type.Integer()),
    }),
  ),
})
export type UsageAnswer = Shape<typeof UsageAnswer>

/** `GET /api/adoption/v1/operators`: the counted operators and the range of counted days. */
export const OperatorsAnswer = Type.Object({
  operators: Type.Array(Type.String()),
  firstDay: orNull(Day),
  lastDay: orNull(Day),
})
export type OperatorsAnswer = Shape<typeof OperatorsAnswer>
