import { expect, test } from 'vitest'
import { quantileOf } from '../../../src/fleet/statistics/quantile.ts'

// numpy.quantile's answers.
test.each([
  [[7], 0.95, 7],
  [[1, 2, 3, 4], 0.5, 2.5],
  [[1, 2, 3, 4], 0.95, 3.85],
  [[10, 20, 30], 1, 30],
  [[10, 20, 30], 0, 10],
])('of %j the %f-quantile is %f', (rising, p, quantile) => {
  expect(quantileOf(rising, p)).toBeCloseTo(quantile, 12)
})

test('of nothing there is none', () => {
  expect(quantileOf([], 0.5)).toBeNaN()
})
