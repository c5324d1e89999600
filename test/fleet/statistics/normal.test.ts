import { expect, test } from 'vitest'
import { chiSquareTail } from '../../../src/fleet/statistics/normal.ts'

// By the complementary error function of the C library.
test.each([
  [0, 1],
  [3.841458820694124, 0.05],
  [16.7929, 4.168899158608237e-5],
  [100, 1.5239706048320995e-23],
  [-1, 1],
])('a chi-square above %f has probability %f', (x, tail) => {
  expect(chiSquareTail(x) / tail).toBeCloseTo(1, 10)
})

test('the two ways of reckoning meet, and the tail falls all along', () => {
  const tails = Array.from({ length: 2000 }, (_, i) => chiSquareTail(i / 40))
  expect(tails.every((tail, i) => i === 0 || tail < tails[i - 1]!)).toBe(true)
  expect(chiSquareTail(8 - 1e-9) / chiSquareTail(8 + 1e-9)).toBeCloseTo(1, 8)
  expect(chiSquareTail(NaN)).toBeNaN()
})
