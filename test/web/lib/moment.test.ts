import { describe, expect, test } from 'vitest'
import { fromFieldTime, toFieldTime } from '../../../src/web/lib/format-time.ts'
import { atMoment, formatMomentParam, keepMoment, momentOf } from '../../../src/web/lib/moment.ts'

const MS = Date.UTC(2026, 10, 22, 3, 4, 5)

test.each([
  ['', undefined],
  ['?at=', undefined],
  ['?at=yesterday', undefined],
  ['?at=2026-11-22T03:04:05Z', MS],
  ['?x=1&at=2026-11-22T04:04:05%2B01:00', MS],
])('the moment of %j', (search, want) => {
  expect(momentOf(search)).toBe(want)
})

test('is written to the second, in UTC', () => {
  expect(formatMomentParam(MS + 999)).toBe('2026-11-22T03:04:05Z')
})

test.each([
  ['/fleet', MS, '/fleet?at=2026-11-22T03%3A04%3A05Z'],
  ['/fleet?state=stuck#x', MS, '/fleet?state=stuck&at=2026-11-22T03%3A04%3A05Z#x'],
  ['/?at=2020-01-01T00:00:00Z', undefined, '/?at='],
])('%s at %s', (path, momentMs, want) => {
  expect(atMoment(path, momentMs)).toBe(want)
})

describe('an address as it is gone to', () => {
  const seen = '?at=2026-11-22T03:04:05Z'
  test.each([
    ['/alerts', '', '/alerts'],
    ['/alerts?q=a+b', '?state=x', '/alerts?q=a+b'],
    ['/alerts?q=a+b#c', seen, '/alerts?q=a+b&at=2026-11-22T03%3A04%3A05Z#c'],
    ['/alerts?at=2026-01-01T00:00:00Z', seen, '/alerts?at=2026-01-01T00:00:00Z'],
    ['/alerts?at=', seen, '/alerts'],
    ['/alerts?at=&q=1', '', '/alerts?q=1'],
  ])('%s from %j is %s', (path, present, want) => {
    expect(keepMoment(path, present)).toBe(want)
  })
})

test('a field has the moment without its zone', () => {
  expect(toFieldTime(MS, 'utc')).toBe('2026-11-22T03:04:05')
  expect(fromFieldTime('2026-11-22T03:04:05', 'utc')).toBe(MS)
  expect(fromFieldTime(toFieldTime(MS, 'local'), 'local')).toBe(MS)
  expect(fromFieldTime('2026-11-', 'utc')).toBeUndefined()
})
