import { describe, expect, test } from 'vitest'
import { runsOf, stackedAreas, steppedLine } from '../../../src/web/lib/stacked-areas.ts'
import { addUtcDays } from '../../../src/web/lib/utc-day.ts'
import { countTicks, dayTicks, shortDay } from '../../../src/web/lib/day-ticks.ts'
import { rampOf } from '../../../src/web/lib/palette.ts'

const SCALE = { x: (day: number) => day * 10, y: (value: number) => 100 - value }

describe('areas', () => {
  test('stand on each other, and a day is as wide as itself', () => {
    const [low, high] = stackedAreas(
      [
        { key: 'a', values: [20, 30] },
        { key: 'b', values: [5, 0] },
      ],
      [true, true],
      SCALE,
    )
    expect(low).toEqual({ key: 'a', path: 'M0 80L10 80L10 70L20 70L20 100L10 100L10 100L0 100Z' })
    expect(high!.path).toBe('M0 75L10 75L10 70L20 70L20 70L10 70L10 80L0 80Z')
  })

  test('have a gap where nobody counted, and none where there is nothing', () => {
    const [area, nothing] = stackedAreas(
      [
        { key: 'a', values: [1, 9, 1] },
        { key: 'b', values: [0, 0, 0] },
      ],
      [true, false, true],
      SCALE,
    )
    expect(area!.path.match(/M/g)).toHaveLength(2)
    expect(area!.path).not.toContain('91')
    expect(nothing!.path).toBe('')
  })

  test('a line goes through the middle of days, and one day alone is a dash', () => {
    expect(steppedLine([10, 20, null, 30], SCALE)).toBe('M5 90L15 80M30 70L40 70')
    expect(steppedLine([null, null], SCALE)).toBe('')
    expect(runsOf([false, true, true, false, true])).toEqual([
      [1, 3],
      [4, 5],
    ])
  })
})

describe('axes', () => {
  const days = (count: number): string[] => Array.from({ length: count }, (_, i) => addUtcDays('2025-11-22', i))

  test('tell days of a month, and months of a year', () => {
    expect(dayTicks(days(30), 6).map(({ text }) => text)).toEqual([
      '26 Nov',
      '1 Dec',
      '6 Dec',
      '11 Dec',
      '16 Dec',
      '21 Dec',
    ])
    expect(dayTicks(days(366), 12).map(({ text }) => text)).toEqual([
      'Dec',
      '2026',
      'Feb',
      'Mar',
      'Apr',
      'May',
      'Jun',
      'Jul',
      'Aug',
      'Sep',
      'Oct',
      'Nov',
    ])
    expect(dayTicks(days(366), 4).map(({ text }) => text)).toEqual(['2026', 'Apr', 'Jul', 'Oct'])
    expect(dayTicks(days(1), 6)).toEqual([{ at: 0, text: '22 Nov' }])
    expect(shortDay('2026-03-01')).toBe('1 Mar')
  })

  test.each([
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [240, [0, 100, 200, 300]],
    [10_000, [0, 5000, 10_000]],
  ])('up to %d clusters', (largest, levels) => {
    expect(countTicks(largest)).toEqual(levels)
  })
})

test('versions get darker with every newer one, over the whole ramp', () => {
  expect([...rampOf(['1.20', '1.19', '1.18']).values()]).toEqual([8, 6, 4])
  expect([...rampOf(['1.20']).values()]).toEqual([8])
  const steps = [...rampOf(Array.from({ length: 30 }, (_, i) => `1.${60 - i}.0`)).values()]
  expect(steps).toEqual(steps.toSorted((a, b) => b - a))
  expect([steps[0], steps.at(-1)]).toEqual([8, 1])
})
