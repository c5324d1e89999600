import { describe, expect, test } from 'vitest'
import { weeklyWindowOf, windowSpans } from '../../../src/fleet/plan/maintenance-windows.ts'
import { timeZoneOf } from '../../../src/fleet/plan/time-zone.ts'

const PRAGUE = timeZoneOf('Europe/Prague')!
const spansOf = (texts: readonly string[], from: string, until: string, zone = PRAGUE): string[] =>
  windowSpans(
    texts.map((text) => weeklyWindowOf(text)!),
    zone,
    Date.parse(from),
    Date.parse(until),
  ).map(({ startMs, endMs }) => `${minute(startMs)} to ${minute(endMs)}`)
const minute = (ms: number): string => new Date(ms).toISOString().slice(0, 16)

describe('the form of a window', () => {
  test.each([
    ['Sat 22:00-06:00', { weekdays: [6], startMinutes: 1320, endMinutes: 1800 }],
    ['mon-fri 20:00-23:30', { weekdays: [1, 2, 3, 4, 5], startMinutes: 1200, endMinutes: 1410 }],
    ['Fri-Mon 00:00-24:00', { weekdays: [0, 1, 5, 6], startMinutes: 0, endMinutes: 1440 }],
    ['Sat,Sun 8:00-8:00', { weekdays: [0, 6], startMinutes: 480, endMinutes: 1920 }],
    ['daily 01:00-05:00', { weekdays: [0, 1, 2, 3, 4, 5, 6], startMinutes: 60, endMinutes: 300 }],
  ])('%s', (text, window) => {
    expect(weeklyWindowOf(text)).toEqual(window)
  })

  test.each([
    ...[
      '',
      'Sat',
      '22:00-06:00',
      'Sat 22:00',
      'Sat 24:00-06:00',
      'Sat 22:60-06:00',
      'Sat 22:00-24:01',
      'Sat 22:00-06:60',
    ],
    ...['Day 22:00-06:00', 'Sat- 22:00-06:00', 'Mon-Wed-Fri 22:00-06:00', 'Sat 22:00-06:00 UTC', 'Sat 22:00-6'],
  ])('%j is none', (text) => {
    expect(weeklyWindowOf(text)).toBeUndefined()
  })
})

describe('the spans of windows', () => {
  test('are in wall-clock time: two hours before UTC in summer', () => {
    expect(spansOf(['Sat 22:00-06:00'], '2026-08-31T00:00Z', '2026-09-14T00:00Z')).toEqual([
      '2026-09-05T20:00 to 2026-09-06T04:00',
      '2026-09-12T20:00 to 2026-09-13T04:00',
    ])
  })

  test('a night in which clocks go back is an hour longer, one in which they go forward an hour shorter', () => {
    expect(spansOf(['Sat 22:00-06:00'], '2026-10-24T00:00Z', '2026-10-26T00:00Z')).toEqual([
      '2026-10-24T20:00 to 2026-10-25T05:00',
    ])
    expect(spansOf(['Sat 22:00-06:00'], '2026-03-28T00:00Z', '2026-03-30T00:00Z')).toEqual([
      '2026-03-28T21:00 to 2026-03-29T04:00',
    ])
  })

  test('a start that the clock skips is an hour later; of an hour that comes twice all of it counts', () => {
    expect(spansOf(['Sun 02:30-04:00'], '2026-03-29T00:00Z', '2026-03-30T00:00Z')).toEqual([
      '2026-03-29T01:30 to 2026-03-29T02:00',
    ])
    expect(spansOf(['Sun 02:30-02:45'], '2026-10-25T00:00Z', '2026-10-26T00:00Z')).toEqual([
      '2026-10-25T00:30 to 2026-10-25T01:45',
    ])
  })

  test('one that is open at the start begins there, and a day at the edge of a zone is not missed', () => {
    expect(spansOf(['Sat 22:00-06:00'], '2026-09-06T01:00Z', '2026-09-07T00:00Z')).toEqual([
      '2026-09-06T01:00 to 2026-09-06T04:00',
    ])
    const kiritimati = timeZoneOf('Pacific/Kiritimati')!
    expect(spansOf(['Mon 00:00-02:00'], '2026-09-06T09:00Z', '2026-09-06T13:00Z', kiritimati)).toEqual([
      '2026-09-06T10:00 to 2026-09-06T12:00',
    ])
  })

  test('windows that overlap or touch are one', () => {
    const spans = spansOf(
      ['Sat 08:00-12:00', 'Sat 11:00-14:00', 'Sat 14:00-15:00'],
      '2026-09-05T00:00Z',
      '2026-09-06T00:00Z',
    )
    expect(spans).toEqual(['2026-09-05T06:00 to 2026-09-05T13:00'])
    const nights = spansOf(['daily 20:00-20:00'], '2026-09-05T00:00Z', '2026-09-06T00:00Z')
    expect(nights).toEqual(['2026-09-05T00:00 to 2026-09-06T18:00'])
  })
})

test('a text that is no time zone is none', () => {
  for (const text of ['', 'Mars/Olympus', 'x'.repeat(65)]) expect(timeZoneOf(text)).toBeUndefined()
})
