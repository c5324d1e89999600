import { expect, test } from 'vitest'
import type { Histogram } from '../../../src/model/histogram.ts'
import { plainBuckets } from '../../../src/promql/histogram/plain-buckets.ts'
import { counts, custom, exponential } from './make.ts'

const listed = (histogram: Histogram): number[][] =>
  plainBuckets(histogram).map(({ boundaries, lower, upper, count }) => [boundaries, lower, upper, count])

test('buckets come from the lowest up, and say which bounds are theirs', () => {
  const histogram = exponential({
    zeroThreshold: 0.001,
    zeroCount: 4,
    positive: counts([0, 1], [2, 7]),
    negative: counts([0, 2], [1, 3]),
  })
  expect(listed(histogram)).toEqual([
    [1, -2, -1, 3],
    [1, -1, -0.5, 2],
    [3, -0.001, 0.001, 4],
    [0, 0.5, 1, 1],
    [0, 2, 4, 7],
  ])
})

test('a bucket that begins inside the zero bucket is cut', () => {
  const histogram = exponential({
    zeroThreshold: 0.75,
    zeroCount: 1,
    positive: counts([0, 5]),
    negative: counts([0, 6]),
  })
  expect(listed(histogram)).toEqual([
    [1, -1, -0.75, 6],
    [3, -0.75, 0.75, 1],
    [0, 0.75, 1, 5],
  ])
})

test('of custom bounds the first bucket includes both', () => {
  expect(listed(custom([5, 10], { positive: counts([0, 1], [1, 2], [2, 3]) }))).toEqual([
    [3, -Infinity, 5, 1],
    [0, 5, 10, 2],
    [0, 10, Infinity, 3],
  ])
})

test('an empty zero bucket is not shown', () => {
  expect(listed(exponential({ zeroThreshold: 0.1 }))).toEqual([])
})
