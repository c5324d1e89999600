import fc from 'fast-check'
import { CUSTOM_BOUNDS, NO_BUCKETS, type BucketCounts, type Histogram } from '../../../src/model/histogram.ts'
import { exponentialBound } from '../../../src/promql/histogram/bounds.ts'

/** Buckets from `[index, count]` pairs. */
export function counts(...pairs: readonly (readonly [number, number])[]): BucketCounts {
  return {
    indexes: Int32Array.from(pairs, ([index]) => index),
    counts: Float64Array.from(pairs, ([, count]) => count),
  }
}

/** An exponential histogram; what is not given is empty or zero. */
export function exponential(parts: Partial<Histogram> = {}): Histogram {
  return {
    schema: 0,
    counterReset: 'unknown',
    count: 0,
    sum: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: NO_BUCKETS,
    negative: NO_BUCKETS,
    customBounds: new Float64Array(0),
    ...parts,
  }
}

/** A histogram of custom bounds. */
export function custom(bounds: readonly number[], parts: Partial<Histogram> = {}): Histogram {
  return exponential({ schema: CUSTOM_BOUNDS, customBounds: Float64Array.from(bounds), ...parts })
}

/** Buckets with random indexes and whole counts. */
const someCounts = (indexMin: number, indexMax: number): fc.Arbitrary<BucketCounts> =>
  fc
    .uniqueArray(fc.tuple(fc.integer({ min: indexMin, max: indexMax }), fc.integer({ min: 1, max: 1000 })), {
      selector: ([index]) => index,
      maxLength: 8,
    })
    .map((pairs) => counts(...pairs.sort(([a], [b]) => a - b)))

function totalOf({ positive, negative, zeroCount }: Histogram): number {
  return [...positive.counts, ...negative.counts].reduce((all, count) => all + count, zeroCount)
}

/** Without the buckets that the zero bucket has in it. */
function beyond({ indexes, counts: all }: BucketCounts, schema: number, threshold: number): BucketCounts {
  const pairs = Array.from(indexes, (index, i) => [index, all[i]!] as const)
  return counts(...pairs.filter(([index]) => exponentialBound(index - 1, schema) >= threshold))
}

/** Any exponential histogram with whole counts that add up. */
export const someExponential: fc.Arbitrary<Histogram> = fc
  .record({
    schema: fc.integer({ min: -4, max: 8 }),
    sum: fc.integer({ min: -1000, max: 1000 }),
    zeroThreshold: fc.constantFrom(0, 0.001, 0.5, 2),
    zeroCount: fc.integer({ min: 0, max: 50 }),
    positive: someCounts(-20, 20),
    negative: someCounts(-20, 20),
  })
  .map((parts) => {
    const histogram = exponential({
      ...parts,
      positive: beyond(parts.positive, parts.schema, parts.zeroThreshold),
      negative: beyond(parts.negative, parts.schema, parts.zeroThreshold),
    })
    return { ...histogram, count: totalOf(histogram) }
  })

/** Any histogram of custom bounds with whole counts that add up. */
export const someCustom: fc.Arbitrary<Histogram> = fc
  .uniqueArray(fc.integer({ min: -10, max: 10 }), { maxLength: 8 })
  .chain((bounds) =>
    someCounts(0, bounds.length).map((positive) => {
      const histogram = custom(
        bounds.sort((a, b) => a - b),
        { positive, sum: 1 },
      )
      return { ...histogram, count: totalOf(histogram) }
    }),
  )
