import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newcombeInterval, wilsonInterval } from '../../../src/fleet/statistics/wilson.ts'

// Newcombe 1998, Statistics in Medicine 17:857, table I, method 3.
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
  [29, 29, 0.883, 1],
])('%i of %i lies between %f and %f', (count, of, low, high) => {
  const interval = wilsonInterval(count, of)
  expect(interval.share).toBe(count / of)
  expect(interval.low).toBeCloseTo(low, 4)
  expect(interval.high).toBeCloseTo(high, 4)
})

// Newcombe 1998, Statistics in Medicine 17:873, table II, method 10.
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [10, 10, 0, 20, 0.6791, 1],
  [10, 10, 0, 10, 0.6075, 1],
])('%i of %i against %i of %i differ by %f to %f', (a, ofA, b, ofB, low, high) => {
  const interval = newcombeInterval(wilsonInterval(a, ofA), wilsonInterval(b, ofB))
  expect(interval.difference).toBeCloseTo(a / ofA - b / ofB, 12)
  expect(interval.low).toBeCloseTo(low, 4)
  expect(interval.high).toBeCloseTo(high, 4)
})

const counted = fc
  .integer({ min: 1, max: 5000 })
  .chain((of) => fc.tuple(fc.integer({ min: 0, max: of }), fc.constant(of)))

test('an interval holds its share, stays within 0 and 1, and mirrors that of the complement', () => {
  fc.assert(
    fc.property(counted, ([count, of]) => {
      const { share, low, high } = wilsonInterval(count, of)
      expect(low).toBeGreaterThanOrEqual(0)
      expect(high).toBeLessThanOrEqual(1)
      expect(low).toBeLessThanOrEqual(share)
      expect(high).toBeGreaterThanOrEqual(share)
      const mirror = wilsonInterval(of - count, of)
      expect(mirror.low).toBeCloseTo(1 - high, 10)
    }),
  )
})

test('the difference of two the other way round is its mirror', () => {
  fc.assert(
    fc.property(counted, counted, ([a, ofA], [b, ofB]) => {
      const [first, second] = [wilsonInterval(a, ofA), wilsonInterval(b, ofB)]
      const [there, back] = [newcombeInterval(first, second), newcombeInterval(second, first)]
      expect(back.low).toBeCloseTo(-there.high, 10)
      expect(there.low).toBeLessThanOrEqual(there.difference)
      expect(there.low).toBeGreaterThanOrEqual(-1 - 1e-12)
    }),
  )
})

test('a share of nothing is a bug of the caller', () => {
  expect(() => wilsonInterval(0, 0)).toThrow('a share is 0 of 0')
  expect(() => wilsonInterval(3, 2)).toThrow('a share is 3 of 2')
})
