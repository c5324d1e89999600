import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Histogram } from '../../../src/model/histogram.ts'
import { combineHistograms } from '../../../src/promql/histogram/combine.ts'
import { divideHistogram } from '../../../src/promql/histogram/scale.ts'
import { HistogramTotal } from '../../../src/promql/histogram/total.ts'
import { counts, custom, exponential, someExponential } from './make.ts'

const over = (total: HistogramTotal, rest: readonly Histogram[]): HistogramTotal => {
  for (const histogram of rest) total.add(histogram)
  return total
}

test('a sum of whole numbers is the plain one', () => {
  fc.assert(
    fc.property(someExponential, fc.array(someExponential, { maxLength: 5 }), (first, rest) => {
      const plain = rest.reduce((all, one) => combineHistograms(all, one, 1)!.histogram, first)
      expect(over(new HistogramTotal(first, false), rest).result()).toEqual(plain)
      expect(over(new HistogramTotal(first, true), rest).result()).toEqual(divideHistogram(plain, rest.length + 1))
    }),
  )
})

test('a sum keeps the digits that greater numbers would take away', () => {
  const [first, ...rest] = [1, 1e100, 1, -1e100].map((sum) => exponential({ sum, positive: counts([0, sum]) }))
  const result = over(new HistogramTotal(first!, false), rest).result()!
  expect(result.sum).toBe(2)
  expect([...result.positive.counts]).toEqual([2])
})

test('a mean does not overflow where the sum would', () => {
  const large = exponential({ count: 1.5e308, sum: 3, zeroCount: 2 })
  const result = over(new HistogramTotal(large, true), [large, large]).result()!
  expect(result.count / 1.5e308).toBeCloseTo(1, 12)
  expect(result.sum).toBeCloseTo(3, 12)
  expect(result.zeroCount).toBeCloseTo(2, 12)
})

test('what was seen is remembered', () => {
  const total = new HistogramTotal(custom([1, 2], { counterReset: 'reset' }), false)
  expect([total.isReconciled, total.hasCollision, total.isMixed]).toEqual([false, false, false])
  total.add(custom([2], { counterReset: 'continued' }))
  expect([total.isReconciled, total.hasCollision, total.isMixed]).toEqual([true, true, false])
  total.add(exponential())
  expect(total.isMixed).toBe(true)
  expect(total.result()).toBeUndefined()
})
