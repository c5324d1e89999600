import { Type, type Static, type TProperties, type TSchema } from 'typebox'

/**
 * What answers about the fleet's facts have in common. Times are RFC 3339 in UTC; a fact nobody knows is `null`, so that
 * the fields of an answer are always the same.
 */

/** `2026-11-21T23:38:01.000Z`. */
export const Time = Type.String({ format: 'date-time' })

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** One of some words. */
export const wordOf = <const T extends readonly string[]>(words: T, description = '') =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...words], ...(description === '' ? {} : { description }) }))

/** Of how many clusters an answer can speak, and how fresh what they sent is. */
export const FleetCoverage = Type.Object({
  /** All that are known and not gone. */
  clusters: Type.Integer(),
  /** Of these, by the way they are heard of. A cluster may be heard of in several ways. */
  withObjects: Type.Integer(),
  withMetrics: Type.Integer(),
  withSpans: Type.Integer(),
  /** Nothing came from it for longer than its ways allow. */
  silent: Type.Integer(),
  /** Heard of, and no version of any operator is told. */
  unknown: Type.Integer(),
  /** Switched off for good, and in none of the other numbers. */
  gone: Type.Integer(),
  /** Of what the clusters sent last: the newest, and the oldest of those that are not silent. */
  newestAt: orNull(Time),
  oldestAt: orNull(Time),
})
export type FleetCoverage = Static<typeof FleetCoverage>

/** Which moment an answer is about. */
export const MOMENT_PARAMS = {
  at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'As it was at this moment, which is over. What a phase usually takes is what is known today; what only the ' +
        'present tells is left out, and named in `past.untold`.',
    }),
  ),
} as const
export const MomentQuery = Type.Object(MOMENT_PARAMS)

/** Of an answer about the past only. */
export const PastNote = Type.Object({
  /** Fields of the answer that are not stored for the past, or not for every item; they are `null`, empty, or absent. */
  unavailable: Type.Array(Type.String()),
  /** The former name of `unavailable`. */
  untold: Type.Array(Type.String(), { deprecated: true, description: 'Use `unavailable`.' }),
  /**
   * When anything was first heard of any cluster: before that nothing is known. `null`: of none, or the answer is not
   * about clusters.
   */
  knownFrom: orNull(Time),
})
export type PastNote = Static<typeof PastNote>
export const PAST_FIELD = { past: Type.Optional(PastNote) } as const

/** What every list says beside its items. `nextCursor` is opaque, and goes on with the same filter and order only. */
export const listOf = <T extends TProperties>(items: T) =>
  Type.Object({ asOf: Time, coverage: FleetCoverage, ...PAST_FIELD, ...items, nextCursor: orNull(Type.String()) })

export const limitSchema = (absent: number, most: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: absent, description: 'Items of one page at most.' }))

const CursorParam = Type.Optional(
  Type.String({ description: 'Where to go on: `nextCursor` of the page before, with the same filter and order.' }),
)

export const OrderParam = Type.Optional(wordOf(['asc', 'desc'], 'Direction of the order.'))

export const PAGE_DEFAULT = 100
export const PAGE_MAX = 1000

/** What every question with pages has. */
export const PAGE_PARAMS = { limit: limitSchema(PAGE_DEFAULT, PAGE_MAX), cursor: CursorParam } as const
