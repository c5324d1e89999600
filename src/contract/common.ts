import { Type, type Static, type TProperties, type TSchema } from 'typebox'

/**
 * The common parts of fleet answers. Times are RFC 3339 in UTC; an unknown fact is `null`, so that the fields of an answer
 * are always the same.
 */

/** The type of a schema, for reading: an answer may hold arrays and objects of the program without a copy. */
export type Shape<S extends TSchema> = DeepReadonly<Static<S>>
type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** `2026-11-21T23:38:01.000Z`. */
export const Time = Type.String({ format: 'date-time' })

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of some words. */
export const wordOf = <const T extends readonly string[]>(words: T, description = '') =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...words], ...(description === '' ? {} : { description }) }))

/** The number of clusters on which an answer is based, and the age of their reports. */
export const FleetCoverage = Type.Object({
  /** All known clusters that are not gone. */
  clusters: Type.Integer(),
  /** Of these, by data source. A cluster may have several. */
  withObjects: Type.Integer(),
  withMetrics: Type.Integer(),
  withSpans: Type.Integer(),
  /** Clusters without a report for longer than their data sources allow. */
  silent: Type.Integer(),
  /** Clusters that report, but no version of any operator. */
  unknown: Type.Integer(),
  /** Decommissioned clusters, excluded from all other numbers. */
  gone: Type.Integer(),
  /** The newest of the clusters' last reports, and the oldest of those of clusters that are not silent. */
  newestAt: orNull(Time),
  oldestAt: orNull(Time),
})
export type FleetCoverage = Shape<typeof FleetCoverage>

/** The moment of an answer. */
export const MOMENT_PARAMS = {
  at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'The state at this past time. Typical durations are the current ones; fields that are stored for the ' +
        'present only are omitted and listed in `past.unavailable`.',
    }),
  ),
} as const
export const MomentQuery = Type.Object(MOMENT_PARAMS)

/** Only in answers about the past. */
export const PastNote = Type.Object({
  /** Fields of the answer that are not stored for the past, or not for every item; they are `null`, empty, or absent. */
  unavailable: Type.Array(Type.String()),
  /** The former name of `unavailable`. */
  untold: Type.Array(Type.String(), { deprecated: true, description: 'Use `unavailable`.' }),
  /**
   * When the first cluster was first seen: nothing is known before. `null`: no cluster is known, or the answer is not about
   * clusters.
   */
  knownFrom: orNull(Time),
})
export type PastNote = Shape<typeof PastNote>
export const PAST_FIELD = { past: Type.Optional(PastNote) } as const

/** The fields of every list beside its items. `nextCursor` is opaque and valid only with the same filter and order. */
export const listOf = <T extends TProperties>(items: T) =>
  Type.Object({ asOf: Time, coverage: FleetCoverage, ...PAST_FIELD, ...items, nextCursor: orNull(Type.String()) })

export const limitSchema = (absent: number, most: number) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: most, default: absent, description: 'Maximum number of items per page.' }),
  )

const CursorParam = Type.Optional(
  Type.String({ description: '`nextCursor` of the previous page, with the same filter and order.' }),
)

export const OrderParam = Type.Optional(wordOf(['asc', 'desc'], 'Direction of the order.'))

export const PAGE_DEFAULT = 100
export const PAGE_MAX = 1000

/** The parameters of every paged list. */
export const PAGE_PARAMS = { limit: limitSchema(PAGE_DEFAULT, PAGE_MAX), cursor: CursorParam } as const

/** A sample's value in Daytwo's own answers: a number, or the name of one that JSON cannot hold. */
export const SampleValue = Type.Union([Type.Number(), Type.Literal('NaN'), Type.Literal('+Inf'), Type.Literal('-Inf')])
export type SampleValue = Shape<typeof SampleValue>
