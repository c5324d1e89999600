import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantileOf } from '../../src/promql/evaluate/quantile.ts'

/** By the definition: all in order, NaN first, and a weighted mean of two neighbours. */
function byOrder(phi: number, values: readonly number[]): number {
  const ordered = [...values].sort((a, b) =>
    Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(b)) - Number(Number.isNaN(a)) : a < b ? -1 : a > b ? 1 : 0,
  )
  const rank = phi * (values.length - 1)
  const lower = Math.max(0, Math.floor(rank))
  const upper = Math.min(values.length - 1, lower + 1)
  const weight = rank - Math.floor(rank)
  return ordered[lower]! * (1 - weight) + ordered[upper]! * weight
}

const value = fc.oneof(
  { weight: 6, arbitrary: fc.double({ noNaN: true, min: -1e9, max: 1e9 }) },
  { weight: 3, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, -Infinity) },
)

test('a quantile is that of the values in order', () => {
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 300, size: 'max' }),
      fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 0.9, 1)),
      (values, phi) => {
        const got = quantileOf(phi, Float64Array.from(values))
        // Plus and minus zero are one value in an order.
        expect(got + 0).toEqual(byOrder(phi, values) + 0)
      },
    ),
    { numRuns: 2000 },
  )
})

test.each([
  ['of nothing', 0.5, [], NaN],
  ['below 0', -0.1, [1, 2], -Infinity],
  ['above 1', 1.1, [1, 2], Infinity],
  ['of NaN', NaN, [1], NaN],
  ['of NaNs alone', 0.5, [NaN, NaN], NaN],
  ['between a NaN and a number', 0.4, [NaN, 1, 2], NaN],
  ['of numbers after a NaN', 1, [NaN, 1, 2], 2],
])('a quantile %s', (_, phi, values, want) => {
  expect(quantileOf(phi, Float64Array.from(values))).toBe(want)
})
