import { describe, expect, test } from 'vitest'
import { holdsAt, isTimeZone, namesHoldingAt, type TimeInterval } from '../../src/notify/time-interval.ts'

const at = (text: string): number => Date.parse(text)
const hours = (from: number, to: number): TimeInterval => ({ times: [{ from: from * 60, to: to * 60 }] })

describe('holdsAt', () => {
  test.each<readonly [string, TimeInterval, string, boolean]>([
    ['nothing said holds always', {}, '2026-03-02T10:00:00Z', true],
    ['the first minute is in', hours(8, 17), '2026-03-02T08:00:00Z', true],
    ['the last one is not', hours(8, 17), '2026-03-02T17:00:00Z', false],
    ['the end of the day', hours(22, 24), '2026-03-02T23:59:59Z', true],
    ['a Monday', { weekdays: [{ from: 1, to: 5 }] }, '2026-03-02T00:00:00Z', true],
    ['a Sunday', { weekdays: [{ from: 1, to: 5 }] }, '2026-03-01T23:59:59Z', false],
    [
      'one of several',
      {
        weekdays: [
          { from: 0, to: 0 },
          { from: 6, to: 6 },
        ],
      },
      '2026-03-07T12:00:00Z',
      true,
    ],
    ['the last day of February', { daysOfMonth: [{ from: -1, to: -1 }] }, '2026-02-28T12:00:00Z', true],
    ['not the last but one', { daysOfMonth: [{ from: -1, to: -1 }] }, '2026-02-27T12:00:00Z', false],
    ['the last day of a leap year’s', { daysOfMonth: [{ from: -1, to: -1 }] }, '2028-02-28T12:00:00Z', false],
    ['a range beyond the month ends with it', { daysOfMonth: [{ from: 25, to: 31 }] }, '2026-02-28T12:00:00Z', true],
    [
      'a range that begins beyond it is not in it',
      { daysOfMonth: [{ from: 30, to: 31 }] },
      '2026-02-28T12:00:00Z',
      false,
    ],
    ['from a day to three before the end', { daysOfMonth: [{ from: 20, to: -3 }] }, '2026-02-26T12:00:00Z', true],
    ['and not two before it', { daysOfMonth: [{ from: 20, to: -3 }] }, '2026-02-27T12:00:00Z', false],
    ['a month', { months: [{ from: 3, to: 5 }] }, '2026-05-31T23:59:59Z', true],
    ['another month', { months: [{ from: 3, to: 5 }] }, '2026-06-01T00:00:00Z', false],
    ['a year', { years: [{ from: 2026, to: 2027 }] }, '2027-12-31T23:59:59Z', true],
    [
      'both kinds must hold',
      { months: [{ from: 3, to: 3 }], weekdays: [{ from: 0, to: 0 }] },
      '2026-03-02T00:00:00Z',
      false,
    ],
    [
      'in Prague it is an hour later in winter',
      { ...hours(8, 17), location: 'Europe/Prague' },
      '2026-01-05T07:00:00Z',
      true,
    ],
    ['and two in summer', { ...hours(8, 17), location: 'Europe/Prague' }, '2026-07-06T06:00:00Z', true],
    [
      'where it is tomorrow already',
      { weekdays: [{ from: 1, to: 1 }], location: 'Asia/Tokyo' },
      '2026-03-01T15:00:00Z',
      true,
    ],
    ['half an hour off', { ...hours(8, 9), location: 'Asia/Kolkata' }, '2026-03-02T02:29:00Z', false],
    ['half an hour off, a minute later', { ...hours(8, 9), location: 'Asia/Kolkata' }, '2026-03-02T02:30:00Z', true],
  ])('%s', (_, interval, time, holds) => {
    expect(holdsAt(interval, at(time))).toBe(holds)
  })
})

test('one of the intervals of a name is enough; unknown names hold never', () => {
  const intervals = new Map([
    ['night', [hours(0, 6), hours(22, 24)]],
    ['never', []],
  ])
  expect(namesHoldingAt(['night', 'never', 'unknown'], intervals, at('2026-03-02T23:00:00Z'))).toEqual(['night'])
  expect(namesHoldingAt(['night'], intervals, at('2026-03-02T12:00:00Z'))).toEqual([])
})

test('time zones', () => {
  expect(['UTC', 'Europe/Prague', 'America/New_York'].map(isTimeZone)).toEqual([true, true, true])
  expect(['', 'Mars/Olympus'].map(isTimeZone)).toEqual([false, false])
})
