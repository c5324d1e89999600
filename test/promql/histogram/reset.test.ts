import { expect, test } from 'vitest'
import type { Histogram } from '../../../src/model/histogram.ts'
import { isReset } from '../../../src/promql/histogram/reset.ts'
import { counts, custom, exponential } from './make.ts'

const before = exponential({ count: 6, zeroThreshold: 0.01, zeroCount: 1, positive: counts([1, 2], [2, 3]) })

const cases: readonly (readonly [string, Histogram, Histogram, boolean])[] = [
  ['the same again', before, before, false],
  ['more of all', { ...before, count: 9, positive: counts([0, 1], [1, 3], [2, 4]) }, before, false],
  ['a lower sum', { ...before, sum: -5 }, before, false],
  ['a lower count', { ...before, count: 5 }, before, true],
  ['a bucket that fell', { ...before, positive: counts([1, 1], [2, 4]) }, before, true],
  ['a bucket that is gone', { ...before, positive: counts([2, 5]) }, before, true],
  ['a lower zero count', { ...before, zeroCount: 0, positive: counts([1, 3], [2, 3]) }, before, true],
  ['a finer schema', { ...before, schema: 1 }, before, true],
  ['a coarser schema with as many', { ...before, schema: -1, positive: counts([1, 5]) }, before, false],
  ['a coarser schema with less', { ...before, schema: -1, positive: counts([1, 4], [2, 1]) }, before, true],
  ['a narrower zero bucket', { ...before, zeroThreshold: 0 }, before, true],
  [
    'a wider one that took a bucket in',
    { ...before, zeroThreshold: 2, zeroCount: 3, positive: counts([2, 3]) },
    before,
    false,
  ],
  [
    'a wider one that would cut a bucket',
    { ...before, zeroThreshold: 1.5, zeroCount: 3, positive: counts([2, 3]) },
    before,
    true,
  ],
  ['it says so itself', { ...before, counterReset: 'reset' }, before, true],
  ['it says that it is none', { ...before, count: 0, counterReset: 'continued' }, before, false],
  ['a gauge is compared', { ...before, count: 5, counterReset: 'gauge' }, before, true],
  ['from exponential to custom', custom([1], { count: 9 }), before, true],
  ['from custom to exponential', before, custom([1]), true],
  [
    'fewer custom bounds with as many',
    custom([5], { count: 3, positive: counts([0, 3]) }),
    custom([2, 5], { count: 3, positive: counts([0, 1], [1, 2]) }),
    false,
  ],
  [
    'fewer custom bounds with less',
    custom([5], { count: 3, positive: counts([0, 2], [1, 1]) }),
    custom([2, 5], { count: 3, positive: counts([0, 1], [1, 2]) }),
    true,
  ],
]

test.each(cases)('%s', (_, current, previous, expected) => {
  expect(isReset(current, previous)).toBe(expected)
})
