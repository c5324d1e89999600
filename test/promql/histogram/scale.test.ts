import { expect, test } from 'vitest'
import { divideHistogram, multiplyHistogram } from '../../../src/promql/histogram/scale.ts'
import { formatHistogram } from '../../../src/promql/histogram/text.ts'
import { counts, custom, exponential } from './make.ts'

const one = exponential({
  count: 7,
  sum: 2,
  zeroThreshold: 0.5,
  zeroCount: 1,
  positive: counts([1, 4]),
  negative: counts([2, 2]),
})

test('all numbers are scaled, and the layout stays', () => {
  const doubled = { ...one, count: 14, sum: 4, zeroCount: 2, positive: counts([1, 8]), negative: counts([2, 4]) }
  expect(multiplyHistogram(one, 2)).toEqual(doubled)
  expect(divideHistogram(one, 0.5)).toEqual(doubled)
})

test('nothing is left of the buckets after multiplying with zero, or dividing by it', () => {
  expect(multiplyHistogram(one, 0)).toEqual({
    ...one,
    count: 0,
    sum: 0,
    zeroCount: 0,
    positive: counts(),
    negative: counts(),
  })
  expect(divideHistogram(one, 0)).toMatchObject({
    count: Infinity,
    sum: Infinity,
    positive: counts(),
    negative: counts(),
  })
})

test('a negative factor makes a gauge', () => {
  expect(multiplyHistogram(one, -1)).toMatchObject({ counterReset: 'gauge', count: -7, positive: counts([1, -4]) })
  expect(divideHistogram(one, -1).counterReset).toBe('gauge')
})

test('in one line', () => {
  expect(formatHistogram(one)).toBe('{count:7, sum:2, [-4,-2):2, [-0.5,0.5]:1, (1,2]:4}')
  expect(formatHistogram(custom([1000000], { count: 3, sum: 0.5, positive: counts([0, 1], [1, 2]) }))).toBe(
    '{count:3, sum:0.5, [-Inf,1e+06]:1, (1e+06,+Inf]:2}',
  )
})
