import { expect, test } from 'vitest'
import { CALENDAR, nextReleaseDayMs, offerAt } from '../../../sim/history/calendar.ts'
import { releaseOf } from '../../../sim/release.ts'

test.each([
  ['1.17.1', '2026-06-23', 'nothing', 'nothing newer is out'],
  ['1.17.1', '2026-06-25', '1.18.0', 'the next minor came before the next patch'],
  ['1.17.1', '2026-06-27', '1.17.2', 'a patch of its own minor, younger than 1.18.0'],
  ['1.17.1', '2026-06-29', '1.17.3', 'the newest patch'],
  ['1.17.3', '2026-06-29', '1.18.1', 'its minor has nothing newer'],
  ['1.14.0', '2026-06-29', '1.15.2', 'minors are never skipped'],
])('%s on %s is offered %s: %s', (from, day, to) => {
  expect(offerAt(releaseOf(from)!, Date.parse(`${day}T12:00:00Z`))?.release.hco ?? 'nothing').toBe(to)
})

test('every release has a date, and the order of dates is not the order of versions', () => {
  const dates = CALENDAR.map(({ releasedMs }) => releasedMs)
  expect(dates.every(Number.isFinite)).toBe(true)
  expect(dates).not.toEqual(dates.toSorted((a, b) => a - b))
})

test('the next release day is after the time asked for, and there is a last one', () => {
  const dayMs = Date.parse('2026-06-24T09:00:00Z')
  expect(new Date(nextReleaseDayMs(dayMs)).toISOString()).toBe('2026-06-26T09:00:00.000Z')
  expect(nextReleaseDayMs(Date.parse('2027-01-01T00:00:00Z'))).toBe(Infinity)
})
