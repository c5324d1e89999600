import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays } from '../../../src/fleet/adoption/day.ts'
import { forecastOf, type Forecast } from '../../../src/fleet/adoption/forecast.ts'
import type { Spread } from '../../../src/fleet/adoption/spread.ts'

const FIRST = '2026-01-01'

/** A version whose share by age is known, from a day after the first of January on. */
function spread(version: string, afterDays: number, byAge: readonly number[], isStartKnown = true): Spread {
  const at90 = byAge.findIndex((share) => share >= 0.9)
  const firstDay = addDays(FIRST, afterDays)
  return {
    ...{ version, firstDay, isStartKnown, byAge, stage: 'rising', clusters: 1, share: byAge.at(-1) ?? 0 },
    ...{ peak: { share: 1, day: firstDay } },
    ...(at90 === -1 ? {} : { to90Days: at90 }),
  }
}

/** It wins the same part of those still to come each day, so that every version like it goes on alike. */
const steady = (days: number, part: number): readonly number[] =>
  Array.from({ length: days }, (_, age) => 1 - (1 - part) ** (age + 1))

function told(spreads: readonly Spread[]): Forecast {
  const forecast = forecastOf(spreads)
  if (typeof forecast === 'string') throw new Error(forecast)
  return forecast
}

const EARLIER = [3, 2, 1, 0].map((i) => spread(`1.1${i}.0`, i * 100, steady(100, 0.1)))

describe('a known spread', () => {
  test('goes on as the earlier ones did, and the same was true of them', () => {
    const forecast = told([spread('1.20.0', 400, steady(6, 0.1)), ...EARLIER])
    expect(forecast).toMatchObject({ version: '1.20.0', ageDays: 5, earlier: ['1.13.0', '1.12.0', '1.11.0', '1.10.0'] })
    expect(forecast.fan).toHaveLength(94)
    // 1 - 0.9^(age+1) is at nine tenths on day 21.
    expect(forecast.to90Days).toEqual({ low: 21, mid: 21, high: 21 })
    const [first] = forecast.fan
    for (const share of [first!.low, first!.mid, first!.high]) expect(share).toBeCloseTo(1 - 0.9 ** 7, 10)
    // Only the last of them had three before it.
    expect(forecast.past).toHaveLength(1)
    expect(forecast.past[0]).toMatchObject({ version: '1.13.0', saidTo90Days: 21, tookTo90Days: 21 })
    expect(forecast.past[0]!.saidShare).toBeCloseTo(forecast.past[0]!.wasShare, 10)
  })

  test('is wide where earlier ones differed, and a bound beyond the fan is not told', () => {
    const slow = spread('1.13.0', 300, steady(60, 0.01))
    const { fan, to90Days } = told([spread('1.20.0', 400, steady(6, 0.1)), slow, ...EARLIER.slice(1)])
    expect(fan[30]!.low).toBeLessThan(fan[30]!.mid)
    expect(to90Days.mid).toBe(21)
    expect(to90Days.high ?? Infinity).toBeGreaterThan(21)
  })

  test('starts from where the version stands, however far earlier ones were', () => {
    const { fan, share } = told([spread('1.20.0', 400, [0.5, 0.5, 0.5]), ...EARLIER])
    expect(share).toBe(0.5)
    expect(fan[0]!.mid).toBeCloseTo(0.55, 10)
  })

  test('uses nothing that was not known then', () => {
    // Each began a day after the one before: when one was six days old, none before it was much older.
    const close = EARLIER.map((one, i) => ({ ...one, firstDay: addDays(FIRST, 3 - i) }))
    const { past } = told([spread('1.20.0', 400, steady(6, 0.1)), ...close])
    // Three versions knew one day more: the fan was a day long, and nine tenths lay beyond it.
    expect(past.map(({ version, saidTo90Days, tookTo90Days }) => [version, saidTo90Days, tookTo90Days])).toEqual([
      ['1.13.0', undefined, 21],
    ])
  })

  test('a day that nobody counted is as the one before it', () => {
    const holes = EARLIER.map((one) => ({ ...one, byAge: one.byAge.map((share, age) => (age === 5 ? NaN : share)) }))
    const { fan, ageDays } = told([spread('1.20.0', 400, [...steady(6, 0.1), NaN]), ...holes])
    expect(ageDays).toBe(5)
    // From day 4 on two days' part was won.
    expect(fan[0]!.mid).toBeCloseTo(1 - 0.9 ** 6 * 0.9 ** 2, 10)
  })
})

test.each<readonly [string, readonly Spread[], string]>([
  ['no version', [], 'no_version'],
  ['a version that was there from the first day', [spread('1.20.0', 0, [0.1], false), ...EARLIER], 'start_unknown'],
  ['one that most run already', [spread('1.20.0', 0, [0.1, 0.9]), ...EARLIER], 'reached'],
  ['two earlier ones', [spread('1.20.0', 400, [0.1]), ...EARLIER.slice(2)], 'few_earlier'],
  ['earlier ones that never grew as old', [spread('1.20.0', 400, steady(100, 0.001)), ...EARLIER], 'few_earlier'],
])('of %s there is none, and it says why', (_title, spreads, want) => {
  expect(forecastOf(spreads)).toBe(want)
})

test('a fan is a fan: in order, between none and all', () => {
  const curve = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.array(curve, { minLength: 4, maxLength: 8 }), (curves) => {
      const forecast = forecastOf(curves.map((byAge, i) => spread(`1.${99 - i}.0`, (9 - i) * 10, byAge)))
      if (typeof forecast === 'string') return
      for (const { low, mid, high } of forecast.fan) {
        expect([low >= 0, low <= mid, mid <= high, high <= 1]).toEqual([true, true, true, true])
      }
      const { low = Infinity, mid = Infinity, high = Infinity } = forecast.to90Days
      expect([low <= mid, mid <= high, low > forecast.ageDays]).toEqual([true, true, true])
    }),
  )
})
