import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BucketCounts, Histogram } from '../../../src/model/histogram.ts'
import { trimHistogram, type Kept } from '../../../src/promql/histogram/trim.ts'
import { counts, custom, exponential, someCustom, someExponential } from './make.ts'

const both = exponential({
  count: 16,
  sum: 30,
  zeroThreshold: 0.25,
  zeroCount: 4,
  positive: counts([1, 8]),
  negative: counts([1, 4]),
})
const chosen = custom([0, 4], { count: 9, sum: 9, positive: counts([0, 2], [1, 4], [2, 3]) })

const cases: readonly (readonly [string, Histogram, number, Kept, Partial<Histogram>])[] = [
  ['all is below infinity', both, Infinity, 'below', both],
  ['all is above minus infinity', both, -Infinity, 'above', both],
  ['a bucket is split by logarithms', both, 2 ** 0.5, 'below', { count: 12, positive: counts([1, 4]) }],
  ['so is a negative one', both, -(2 ** 0.5), 'above', { count: 14, negative: counts([1, 2]) }],
  ['the zero bucket is split evenly', both, 0, 'below', { count: 6, zeroCount: 2, positive: counts() }],
  ['a custom bucket is split evenly', chosen, 1, 'below', { count: 3, positive: counts([0, 2], [1, 1]) }],
  ['the last one goes when the value is inside', chosen, 7, 'below', { count: 6, positive: counts([0, 2], [1, 4]) }],
  ['or is kept', chosen, 7, 'above', { count: 3, sum: 21, positive: counts([2, 3]) }],
  [
    'the first one ends at zero: it is kept below',
    chosen,
    -5,
    'below',
    { count: 2, sum: -10, positive: counts([0, 2]) },
  ],
]

test.each(cases)('%s', (_, histogram, value, kept, expected) => {
  const trimmed = trimHistogram(histogram, value, kept)
  for (const [name, want] of Object.entries(expected)) {
    const got = trimmed[name as keyof Histogram]
    if (typeof want === 'number') expect(got).toBeCloseTo(want, 9)
    else if (typeof want === 'object' && 'counts' in want) {
      expect((got as BucketCounts).indexes).toEqual(want.indexes)
      want.counts.forEach((count, i) => {
        expect((got as BucketCounts).counts[i]).toBeCloseTo(count, 9)
      })
    } else expect(got).toEqual(want)
  }
})

test('what is below and what is above are all there was', () => {
  const finite = fc.double({ min: -100, max: 100, noNaN: true })
  fc.assert(
    fc.property(fc.oneof(someExponential, someCustom), finite, (histogram, value) => {
      const below = trimHistogram(histogram, value, 'below').count
      const above = trimHistogram(histogram, value, 'above').count
      if (histogram.schema !== -53) expect(below + above).toBeCloseTo(histogram.count, 6)
      else expect(below + above).toBeLessThanOrEqual(histogram.count + 1e-6)
    }),
  )
})
