import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByTime } from '../../src/base/by-time.ts'

test('items that are in no order of time are found as by a walk over all', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(9)),
      fc.integer({ min: -1, max: 10 }),
      fc.integer({ min: -1, max: 10 }),
      (times, a, b) => {
        const items = times.map((atMs, i) => ({ atMs, i }))
        const byTime = new ByTime(items, ({ atMs }) => atMs)
        expect(byTime.lastUntil(a)).toBe(items.findLast(({ atMs }) => atMs <= a))
        expect(byTime.lastBefore(a)).toBe(items.findLast(({ atMs }) => atMs < a))
        const within = items.filter(({ atMs }) => atMs >= a && atMs < b)
        expect(byTime.placesWithin(a, b)).toEqual(within.map(({ i }) => i))
      },
    ),
  )
})
