import { expect, test } from 'vitest'
import { durationsOf } from '../../../src/fleet/statistics/durations.ts'
import {
  QUANTILE_STEPS,
  quantile,
  quantilesBetween,
  quantilesOf,
  seededRandom,
  sumDraws,
} from '../../../src/fleet/plan/distribution.ts'

const tenths = quantilesOf(durationsOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], []))

test('quantiles of finished runs are those of the runs', () => {
  expect(tenths).toHaveLength(QUANTILE_STEPS)
  expect([quantile(tenths, 0.05), quantile(tenths, 0.5)]).toEqual([1, 5.5])
  expect(quantile(tenths, 0.9)).toBeCloseTo(9.1)
})

test('what the curve does not reach is infinite: half of the runs ended, so the p90 is unknown', () => {
  const half = quantilesOf(durationsOf([60, 60, 60, 60], [100, 100, 100, 100]))
  expect(quantile(half, 0.4)).toBe(60)
  expect(quantile(half, 0.9)).toBeUndefined()
  expect(half.filter((seconds) => seconds === Infinity)).toHaveLength(QUANTILE_STEPS / 2)
})

test('quantiles between points are in proportion', () => {
  const column = quantilesBetween([
    [0, 30],
    [0.5, 60],
    [1, 180],
  ])
  expect(quantile(column, 0.25)).toBeCloseTo(45, 0)
  expect(quantile(column, 0.5)).toBeCloseTo(60, 0)
  expect(quantile(column, 0.75)).toBeCloseTo(120, 0)
})

test('nothing has no quantile', () => {
  expect(quantile([], 0.5)).toBeUndefined()
})

test('the p90 of a sum is less than the sum of the p90s, and the same seed draws the same sums', () => {
  const sums = sumDraws([tenths, tenths, tenths, tenths], 4000, 7)
  expect(sumDraws([tenths, tenths, tenths, tenths], 4000, 7)).toEqual(sums)
  // Four independent uniform durations: mean 22, standard deviation 5.74.
  expect(quantile(sums, 0.5)).toBeCloseTo(22, 0)
  expect(quantile(sums, 0.9)).toBeGreaterThan(28.5)
  expect(quantile(sums, 0.9)).toBeLessThan(30.5)
  expect(4 * quantile(tenths, 0.9)!).toBeGreaterThan(36)
})

test('the random numbers are even', () => {
  const random = seededRandom(3)
  const counts = new Array<number>(10).fill(0)
  for (let i = 0; i < 10_000; i++) counts[Math.floor(random() * 10)]!++
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120)
})
