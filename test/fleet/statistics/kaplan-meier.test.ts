import fc from 'fast-check'
import { expect, test } from 'vitest'
import { durationsOf } from '../../../src/fleet/statistics/durations.ts'
import { medianInterval, survivalCurve, survivalQuantile } from '../../../src/fleet/statistics/kaplan-meier.ts'
import { PLACEBO, SIX_MP } from './remission.ts'

// The worked example of every textbook (Klein and Moeschberger, tables 4.1A and 4.2).
test('the curve and its errors are those of the book', () => {
  const curve = survivalCurve(SIX_MP)
  expect(curve.steps).toBe(7)
  const rows = Array.from({ length: 7 }, (_, i) => [
    curve.times[i],
    Number(curve.survival[i]!.toFixed(3)),
    Number((curve.survival[i]! * Math.sqrt(curve.greenwood[i]!)).toFixed(3)),
  ])
  expect(rows).toEqual([
    [6, 0.857, 0.076],
    [7, 0.807, 0.087],
    [10, 0.753, 0.096],
    [13, 0.69, 0.107],
    [16, 0.627, 0.114],
    [22, 0.538, 0.128],
    [23, 0.448, 0.135],
  ])
})

// As SAS' LIFETEST has them, whose interval is on the same scale.
test.each([
  ['6-MP', SIX_MP, 23, { low: 13 }],
  ['placebo', PLACEBO, 8, { low: 4, high: 11 }],
])('the median of %s', (_, durations, median, interval) => {
  const curve = survivalCurve(durations)
  expect(survivalQuantile(curve, 0.5)).toBe(median)
  expect(medianInterval(curve)).toEqual(interval)
})

test.each([
  ['nothing', [], [], undefined],
  ['only unfinished runs', [], [5, 9], undefined],
  ['one run', [7], [], 7],
  ['a half on the step itself', [1, 2, 3, 4], [], 2],
  ['lost at the moment another ends', [5], [5], 5],
])('the median of %s', (_, finished, censored, median) => {
  const curve = survivalCurve(durationsOf(finished, censored))
  expect(survivalQuantile(curve, 0.5)).toBe(median)
})

const seconds = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 40 })

test('without unfinished runs it is the plain distribution', () => {
  fc.assert(
    fc.property(seconds, (finished) => {
      const curve = survivalCurve(durationsOf(finished, []))
      for (let step = 0; step < curve.steps; step++) {
        const longer = finished.filter((s) => s > curve.times[step]!).length
        expect(curve.survival[step]).toBeCloseTo(longer / finished.length, 10)
      }
    }),
  )
})

test('it falls from 1, the order of runs does not matter, and a longer unfinished run never lowers it', () => {
  fc.assert(
    fc.property(seconds, seconds, fc.nat(40), (finished, censored, more) => {
      const curve = survivalCurve(durationsOf(finished, censored))
      const again = survivalCurve(durationsOf([...finished].reverse(), [...censored].reverse()))
      expect(again).toEqual(curve)
      for (let step = 0; step < curve.steps; step++) {
        expect(curve.survival[step]).toBeLessThan(step === 0 ? 1 + 1e-12 : curve.survival[step - 1]!)
        expect(curve.survival[step]).toBeGreaterThanOrEqual(0)
      }
      const longer = survivalCurve(
        durationsOf(
          finished,
          censored.map((s) => s + more),
        ),
      )
      for (let step = 0; step < curve.steps; step++) {
        expect(longer.survival[step]).toBeGreaterThanOrEqual(curve.survival[step]! - 1e-12)
      }
    }),
  )
})

test('the interval of the median holds it', () => {
  fc.assert(
    fc.property(seconds, seconds, (finished, censored) => {
      const curve = survivalCurve(durationsOf(finished, censored))
      const median = survivalQuantile(curve, 0.5)
      const { low, high } = medianInterval(curve)
      if (median !== undefined && low !== undefined) expect(low).toBeLessThanOrEqual(median)
      if (median !== undefined && high !== undefined) expect(high).toBeGreaterThanOrEqual(median)
    }),
  )
})
