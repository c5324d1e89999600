import fc from 'fast-check'
import { expect, test } from 'vitest'
import { durationsOf } from '../../../src/fleet/statistics/durations.ts'
import { intervalWidth, Z_95 } from '../../../src/fleet/statistics/normal.ts'
import { timeRatio } from '../../../src/fleet/statistics/time-ratio.ts'
import { PLACEBO, SIX_MP } from './remission.ts'

const finished = (...seconds: readonly number[]) => durationsOf(seconds, [])

function median(values: readonly number[]): number {
  const rising = values.toSorted((a, b) => a - b)
  const middle = rising.length / 2
  return rising.length % 2 === 1 ? rising[Math.floor(middle)]! : Math.sqrt(rising[middle - 1]! * rising[middle]!)
}

test('without unfinished runs it is the median of all ratios between the groups (Hodges and Lehmann)', () => {
  const first = [12, 31, 17, 44, 28, 19, 52]
  const second = [11, 9, 23, 14, 30, 8, 13, 21, 10]
  const { value, low, high } = timeRatio([{ first: finished(...first), second: finished(...second) }], Z_95)!
  expect(value).toBeCloseTo(median(first.flatMap((a) => second.map((b) => a / b))), 6)
  // Its bounds are those of Mann and Whitney's test, 31.5 -+ 1.96 sqrt(63 * 17 / 12) of 63 pairs, up to its variance.
  const ratios = first.flatMap((a) => second.map((b) => a / b)).sort((a, b) => a - b)
  const width = Z_95 * Math.sqrt((63 * 17) / 12)
  const [lowAt, highAt] = [Math.ceil(31.5 - width) - 1, Math.floor(31.5 + width)]
  expect(low).toBeGreaterThan(ratios[lowAt - 2]!)
  expect(low).toBeLessThan(ratios[lowAt + 2]!)
  expect(high).toBeGreaterThan(ratios[highAt - 2]!)
  expect(high).toBeLessThan(ratios[highAt + 2]!)
})

test('the unit of time does not matter, and groups that change places give the inverse', () => {
  const durations = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 6, maxLength: 30 })
  fc.assert(
    fc.property(durations, durations, durations, fc.integer({ min: 2, max: 60 }), (a, b, censored, unit) => {
      const first = durationsOf(a, censored)
      const second = finished(...b)
      const found = timeRatio([{ first, second }], Z_95)
      const scaled = (all: readonly number[]) => all.map((seconds) => seconds * unit)
      const other = timeRatio(
        [{ first: durationsOf(scaled(a), scaled(censored)), second: finished(...scaled(b)) }],
        Z_95,
      )
      expect(other?.value).toBeCloseTo(found?.value ?? NaN, 6)
      if (found?.low !== undefined) expect(found.low).toBeLessThanOrEqual(found.value * (1 + 1e-9))
      if (found?.high !== undefined) expect(found.high).toBeGreaterThanOrEqual(found.value * (1 - 1e-9))
    }),
  )
})

test('twice as long in every stratum, though strata differ tenfold', () => {
  const strata = [1, 10].map((scale) => ({
    first: finished(...[20, 24, 28, 22, 26, 30].map((seconds) => seconds * scale)),
    second: finished(...[10, 12, 14, 11, 13, 15].map((seconds) => seconds * scale)),
  }))
  const { value, low, high } = timeRatio(strata, Z_95)!
  expect(value).toBeCloseTo(2, 6)
  expect(low).toBeGreaterThan(1.5)
  expect(high).toBeLessThan(2.7)
})

// The remission times of every textbook: 6-MP is far better, and more than half of its patients are censored.
test('unfinished runs count as longer', () => {
  const all = timeRatio([{ first: SIX_MP, second: PLACEBO }], Z_95)!
  const finishedOnly = timeRatio([{ first: durationsOf([...SIX_MP.finished], []), second: PLACEBO }], Z_95)!
  expect(all.value).toBeGreaterThan(2)
  expect(all.low).toBeGreaterThan(1.3)
  expect(finishedOnly.value).toBeLessThan(all.value)
})

test('equal durations are one time as long', () => {
  const { value, low, high } = timeRatio(
    [{ first: finished(9, 9, 9, 9, 9, 9), second: finished(9, 9, 9, 9, 9, 9) }],
    Z_95,
  )!
  for (const bound of [value, low, high]) expect(bound).toBeCloseTo(1, 6)
})

test('open bounds, and nothing to compare', () => {
  expect(timeRatio([], Z_95)).toBeUndefined()
  expect(timeRatio([{ first: finished(1, 2), second: finished() }], Z_95)).toBeUndefined()
  expect(timeRatio([{ first: durationsOf([], [5]), second: durationsOf([], [5]) }], Z_95)).toBeUndefined()
  const few = timeRatio([{ first: finished(20, 30), second: finished(10, 15) }], Z_95)!
  expect(few).toMatchObject({ value: expect.any(Number) as number })
  expect(few.low).toBeUndefined()
  expect(few.high).toBeUndefined()
})

test('widths of intervals are quantiles of the normal distribution', () => {
  expect(intervalWidth(0.05)).toBeCloseTo(Z_95, 9)
  expect(intervalWidth(0.01)).toBeCloseTo(2.575829303549, 9)
  expect(intervalWidth(0.32)).toBeCloseTo(0.994457883209753, 9)
})
