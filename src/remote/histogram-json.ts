/**
 * A native histogram as Prometheus' API writes it (count, sum, buckets with their bounds) to the model's. The answer has no
 * schema: it is the one of which the bounds are bounds; other bounds are custom ones.
 */
import {
  CUSTOM_BOUNDS,
  NO_BUCKETS,
  SCHEMA_MAX,
  SCHEMA_MIN,
  type BucketCounts,
  type Histogram,
} from '../model/histogram.ts'
import { JsonStreamError } from './json-stream.ts'

interface Bucket {
  readonly lower: number
  readonly upper: number
  readonly count: number
}

/** How far a bound may be from the exact one, relative to it. */
const BOUND_ERROR = 1e-9

/** Throws `JsonStreamError` when it is none. */
export function histogramOfJson(value: unknown): Histogram {
  const { count, sum, buckets = [] } = (value ?? {}) as { count?: unknown; sum?: unknown; buckets?: unknown }
  if (!Array.isArray(buckets)) throw new JsonStreamError('a histogram has no list of buckets')
  const all = buckets.map(bucketOf)
  const counts = { counterReset: 'unknown', count: numberOf(count), sum: numberOf(sum) } as const
  return { ...counts, ...(exponential(all) ?? custom(all)) }
}

type Layout = Pick<Histogram, 'schema' | 'zeroThreshold' | 'zeroCount' | 'positive' | 'negative' | 'customBounds'>

/** `undefined`: the bounds are not those of one schema. */
function exponential(buckets: readonly Bucket[]): Layout | undefined {
  const zero = buckets.find(({ lower, upper }) => lower === -upper)
  const sides = buckets.filter((bucket) => bucket !== zero)
  if (sides.some(({ lower, upper }) => lower < 0 && upper > 0)) return undefined
  // A bucket that overlaps the zero bucket ends there: the outermost has both of its bounds.
  const widest = sides.reduce<Bucket | undefined>(
    (a, b) => (a === undefined || outerOf(b) > outerOf(a) ? b : a),
    undefined,
  )
  const schema = widest === undefined ? 0 : schemaOf(widest)
  if (schema === undefined) return undefined
  const [positive, negative] = [
    indexed(
      sides.filter(({ upper }) => upper > 0),
      schema,
    ),
    indexed(sides.filter(({ upper }) => upper <= 0).reverse(), schema),
  ]
  if (positive === undefined || negative === undefined) return undefined
  const zeroThreshold = zero?.upper ?? 0
  return { schema, zeroThreshold, zeroCount: zero?.count ?? 0, positive, negative, customBounds: new Float64Array(0) }
}

function outerOf({ lower, upper }: Bucket): number {
  return Math.max(Math.abs(lower), Math.abs(upper))
}

function schemaOf({ lower, upper }: Bucket): number | undefined {
  const inner = Math.min(Math.abs(lower), Math.abs(upper))
  // Not minus zero.
  const schema = 0 + Math.round(-Math.log2(Math.log2(Math.max(Math.abs(lower), Math.abs(upper)) / inner)))
  return schema >= SCHEMA_MIN && schema <= SCHEMA_MAX ? schema : undefined
}

function indexed(buckets: readonly Bucket[], schema: number): BucketCounts | undefined {
  if (buckets.length === 0) return NO_BUCKETS
  const indexes = buckets.map((bucket) => Math.round(Math.log2(outerOf(bucket)) * 2 ** schema))
  const areBounds = buckets.every((bucket, i) => {
    const bound = 2 ** (indexes[i]! / 2 ** schema)
    return Math.abs(bound - outerOf(bucket)) <= bound * BOUND_ERROR && (i === 0 || indexes[i]! > indexes[i - 1]!)
  })
  if (!areBounds) return undefined
  return { indexes: Int32Array.from(indexes), counts: Float64Array.from(buckets, ({ count }) => count) }
}

function custom(buckets: readonly Bucket[]): Layout {
  const finite = buckets.flatMap(({ lower, upper }) => [lower, upper]).filter((bound) => Number.isFinite(bound))
  const bounds = Float64Array.from(new Set(finite)).sort()
  const placeOf = (upper: number): number => {
    const place = bounds.indexOf(upper)
    return place < 0 ? bounds.length : place
  }
  return {
    schema: CUSTOM_BOUNDS,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: {
      indexes: Int32Array.from(buckets, ({ upper }) => placeOf(upper)),
      counts: Float64Array.from(buckets, ({ count }) => count),
    },
    negative: NO_BUCKETS,
    customBounds: bounds,
  }
}

function bucketOf(value: unknown): Bucket {
  if (!Array.isArray(value) || value.length !== 4)
    throw new JsonStreamError('a bucket of a histogram has not four parts')
  const [, lower, upper, count] = value as unknown[]
  return { lower: numberOf(lower), upper: numberOf(upper), count: numberOf(count) }
}

function numberOf(value: unknown): number {
  if (value === '+Inf') return Infinity
  if (value === '-Inf') return -Infinity
  if (typeof value !== 'string' || value === '') throw new JsonStreamError('a number of a histogram is not a text')
  const number = Number(value)
  if (Number.isNaN(number) && value !== 'NaN') throw new JsonStreamError('a number of a histogram is none')
  return number
}
