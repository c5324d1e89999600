import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Histogram } from '../../../src/model/histogram.ts'
import { combineHistograms } from '../../../src/promql/histogram/combine.ts'
import { areEqual } from '../../../src/promql/histogram/equals.ts'
import { isReset } from '../../../src/promql/histogram/reset.ts'
import { counts, custom, exponential, someCustom, someExponential } from './make.ts'

const added = (a: Histogram, b: Histogram): Histogram => combineHistograms(a, b, 1)!.histogram

describe('adding', () => {
  test('joins buckets, and takes the coarser schema', () => {
    const fine = exponential({ schema: 1, count: 6, sum: 3, positive: counts([1, 1], [2, 2], [3, 3]) })
    const coarse = exponential({ count: 4, sum: 5, positive: counts([2, 4]) })
    const sum = exponential({ count: 10, sum: 8, positive: counts([1, 3], [2, 7]) })
    expect(added(fine, coarse)).toEqual(sum)
    expect(added(coarse, fine)).toEqual(sum)
  })

  test('widens the zero bucket to the end of a bucket that it would cut', () => {
    const narrow = exponential({ count: 7, zeroThreshold: 0.1, zeroCount: 1, positive: counts([-1, 2], [0, 4]) })
    const wide = exponential({ count: 1, zeroThreshold: 0.3, zeroCount: 1 })
    expect(added(wide, narrow)).toEqual(
      exponential({ count: 8, zeroThreshold: 0.5, zeroCount: 4, positive: counts([0, 4]) }),
    )
  })

  test('keeps the custom bounds that both have', () => {
    const a = custom([1, 2, 5], { count: 10, positive: counts([0, 1], [1, 2], [2, 3], [3, 4]) })
    const b = custom([2, 3, 5], { count: 3, positive: counts([1, 1], [3, 2]) })
    const { histogram, isReconciled } = combineHistograms(a, b, 1)!
    expect(isReconciled).toBe(true)
    expect(histogram).toEqual(custom([2, 5], { count: 13, positive: counts([0, 3], [1, 4], [2, 6]) }))
  })

  test('does not join exponential and custom buckets', () => {
    expect(combineHistograms(exponential(), custom([1]), 1)).toBeUndefined()
  })

  test.each([
    ['unknown', 'unknown', 'unknown', false],
    ['gauge', 'reset', 'gauge', false],
    ['continued', 'gauge', 'gauge', false],
    ['unknown', 'reset', 'unknown', false],
    ['continued', 'continued', 'continued', false],
    ['reset', 'continued', 'unknown', true],
    ['continued', 'reset', 'unknown', true],
  ] as const)('%s and %s make %s', (a, b, joined, isCollision) => {
    const sum = combineHistograms(exponential({ counterReset: a }), exponential({ counterReset: b }), 1)!
    expect(sum.histogram.counterReset).toBe(joined)
    expect(sum.isCollision).toBe(isCollision)
  })

  test('does not depend on the order', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(someExponential, someExponential), fc.tuple(someCustom, someCustom)), ([a, b]) => {
        expect(added(a, b)).toEqual(added(b, a))
      }),
    )
  })

  test('loses no observation', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(someExponential, someExponential), fc.tuple(someCustom, someCustom)), ([a, b]) => {
        const { count, zeroCount, positive, negative } = added(a, b)
        expect([...positive.counts, ...negative.counts].reduce((all, one) => all + one, zeroCount)).toBe(count)
      }),
    )
  })

  test('is no counter reset of a counter', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(someExponential, someExponential), fc.tuple(someCustom, someCustom)), ([a, b]) => {
        expect(isReset(added(a, b), a)).toBe(false)
      }),
    )
  })
})

describe('subtracting', () => {
  test('what was added leaves nothing, over the buckets that both have', () => {
    fc.assert(
      fc.property(someExponential, someExponential, (a, b) => {
        const sum = added(a, b)
        const rest = combineHistograms(sum, sum, -1)!.histogram
        expect(areEqual(rest, { ...sum, count: 0, sum: 0, zeroCount: 0, positive: counts(), negative: counts() })).toBe(
          true,
        )
        expect(
          areEqual(
            combineHistograms(sum, b, -1)!.histogram,
            combineHistograms(sum, combineHistograms(sum, a, -1)!.histogram, -1)!.histogram,
          ),
        ).toBe(true)
      }),
    )
  })
})
