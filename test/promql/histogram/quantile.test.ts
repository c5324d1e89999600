import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { histogramFraction } from '../../../src/promql/histogram/fraction.ts'
import { histogramQuantile, histogramVariance } from '../../../src/promql/histogram/quantile.ts'
import { counts, custom, exponential, someExponential } from './make.ts'

const skewed = exponential({ count: 8, sum: 20, positive: counts([1, 2], [3, 6]) })
const around = exponential({
  count: 8,
  zeroThreshold: 0.5,
  zeroCount: 4,
  positive: counts([1, 2]),
  negative: counts([1, 2]),
})
const chosen = custom([1, 2], { count: 10, sum: 15, positive: counts([0, 2], [1, 5], [2, 3]) })
const withNaN = exponential({ count: 10, sum: NaN, positive: counts([1, 6]) })

describe('a quantile', () => {
  test.each([
    [skewed, 0, 1],
    [skewed, 0.125, 2 ** 0.5],
    [skewed, 0.625, 2 ** 2.5],
    [skewed, 1, 8],
    [skewed, -0.1, -Infinity],
    [skewed, 1.1, Infinity],
    [skewed, NaN, NaN],
    [around, 0.5, 0],
    [around, 0.375, -0.25],
    [around, 0.125, -(2 ** 0.5)],
    [chosen, 0.1, 0.5],
    [chosen, 0.45, 1.5],
    [chosen, 0.9, 2],
    [custom([-3, 2], { count: 1, positive: counts([0, 1]) }), 0.5, -3],
    [exponential(), 0.5, NaN],
  ] as const)('case %#', (histogram, phi, expected) => {
    expect(histogramQuantile(phi, histogram)).toEqual({
      value: Number.isNaN(expected) ? NaN : (expect.closeTo(expected, 12) as number),
    })
  })

  test('is told apart where NaN observations move it', () => {
    expect(histogramQuantile(0.3, withNaN)).toEqual({ value: 2 ** 0.5, nan: 'skew' })
    expect(histogramQuantile(0.9, withNaN)).toEqual({ value: NaN, nan: 'result' })
  })
})

describe('a fraction', () => {
  test.each([
    [skewed, -Infinity, Infinity, 1],
    [skewed, 2, 4, 0],
    [skewed, 0, 2 ** 0.5, 0.125],
    [skewed, 3, 2, 0],
    [skewed, NaN, 2, NaN],
    [around, -0.25, 0.25, 0.25],
    [chosen, 1, 1.5, 0.25],
    [chosen, 2, 100, 0],
    [exponential(), 0, 1, NaN],
  ] as const)('case %#', (histogram, lower, upper, expected) => {
    const { value } = histogramFraction(lower, upper, histogram)
    if (Number.isNaN(expected)) expect(value).toBeNaN()
    else expect(value).toBeCloseTo(expected, 12)
  })

  test('leaves NaN observations out, and says so', () => {
    expect(histogramFraction(-Infinity, Infinity, withNaN)).toEqual({ value: 0.6, hasNaN: true })
  })

  test('of all below a quantile is its rank', () => {
    const ranks = fc.double({ min: 0.01, max: 0.99, noNaN: true })
    fc.assert(
      fc.property(someExponential, ranks, (some, phi) => {
        const histogram = { ...some, count: some.count - some.zeroCount, zeroCount: 0 }
        fc.pre(histogram.count > 0)
        const { value } = histogramQuantile(phi, histogram)
        expect(histogramFraction(-Infinity, value, histogram).value).toBeCloseTo(phi, 6)
      }),
    )
  })
})

test('a variance is that of the middles of buckets', () => {
  expect(histogramVariance(exponential({ count: 2, sum: 4, positive: counts([1, 1], [3, 1]) }))).toBeCloseTo(
    ((2 ** 0.5 - 2) ** 2 + (2 ** 2.5 - 2) ** 2) / 2,
    12,
  )
  expect(histogramVariance(custom([1, 3], { count: 1, sum: 2, positive: counts([1, 1]) }))).toBe(0)
})
