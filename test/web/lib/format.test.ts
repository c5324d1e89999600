import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countOf,
  formatCount,
  formatShare,
  formatShares,
  formatValue,
  parseValue,
  GROUP_SPACE,
} from '../../../src/web/lib/format-number.ts'
import {
  formatAge,
  formatDay,
  formatMoment,
  formatRelative,
  formatTimeOfDay,
  withMilliseconds,
} from '../../../src/web/lib/format-time.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('ages', () => {
  test.each([
    [0, '0 s'],
    [-5 * SECOND, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [MINUTE, '1 min'],
    [HOUR - 1, '59 min'],
    [HOUR, '1 h'],
    [3 * HOUR + 5 * MINUTE, '3 h 05 min'],
    [DAY, '1 d'],
    [2 * DAY + 4 * HOUR, '2 d 4 h'],
    [HOUR + 37 * MINUTE + 59 * SECOND, '1 h 37 min'],
    [100 * DAY, '100 d'],
    [100 * DAY + 5 * HOUR, '100 d'],
    [99 * DAY + 5 * HOUR, '99 d 5 h'],
  ])('%d ms is %s', (ageMs, text) => {
    expect(formatAge(ageMs)).toBe(text)
  })
})

test.each([
  [0, '0 s ago'],
  [-65 * MINUTE, '1 h 05 min ago'],
  [4 * MINUTE, 'in 4 min'],
])('%d ms from now is %s', (fromNowMs, text) => {
  expect(formatRelative(1e12 + fromNowMs, 1e12)).toBe(text)
})

describe('moments', () => {
  // 2026-11-04T14:03:22Z
  const at = 1_793_801_002_000
  test('name their zone', () => {
    expect(formatMoment(at, 'utc')).toBe('2026-11-04 14:03:22 UTC')
    expect(formatMoment(at, 'local')).toBe('2026-11-04 14:03:22 +00:00')
  })
  test('to the millisecond', () => {
    expect(withMilliseconds(formatMoment(at + 75, 'utc'), at + 75)).toBe('2026-11-04 14:03:22.075 UTC')
    expect(withMilliseconds(formatMoment(at, 'local'), at)).toBe('2026-11-04 14:03:22.000 +00:00')
  })
  test('in parts', () => {
    expect(formatDay(at, 'utc')).toBe('2026-11-04')
    expect(formatTimeOfDay(at, 'utc')).toBe('14:03:22')
  })
  test.each([NaN, Infinity, 9e15])('%d is no moment, and does not throw', (timeMs) => {
    expect(formatMoment(timeMs, 'utc')).toBe('unknown time')
  })
})

describe('numbers', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1\u202f000'],
    [1_234_567, '1\u202f234\u202f567'],
    [-1000, '-1\u202f000'],
  ])('a count of %d is %s', (count, text) => {
    expect(formatCount(count)).toBe(text)
  })

  test.each([
    [2, '2'],
    [12_345, '12\u202f345'],
    [0.5, '0.5'],
    [1 / 3, '0.3333'],
    [1234.567, '1\u202f234.6'],
    [0.000001234, '1.234e-6'],
    [4e18, '4.000e+18'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ])('a value of %d reads %s', (value, text) => {
    expect(formatValue(value)).toBe(text)
  })

  test.each([
    [0, 200, '0 %'],
    [1, 200, '<1 %'],
    [1, 3, '33 %'],
    [199, 200, '>99 %'],
    [200, 200, '100 %'],
    [0, 0, '-'],
  ])('%d of %d is %s', (part, total, text) => {
    expect(formatShare(part, total)).toBe(text)
  })

  test.each([
    [[149, 51], 200, ['74.5 %', '25.5 %']],
    [[150, 50], 200, ['75 %', '25 %']],
    [[9999, 1], 10_000, ['>99.9 %', '<0.1 %']],
    [[0, 0], 0, ['-', '-']],
  ])('beside each other %j of %d are %j', (parts, total, texts) => {
    expect(formatShares(parts, total)).toEqual(texts)
  })

  test('one is singular', () => {
    expect([countOf(0, 'cluster'), countOf(1, 'cluster'), countOf(2, 'cluster')]).toEqual([
      '0 clusters',
      '1 cluster',
      '2 clusters',
    ])
  })

  test('grouping loses no digit', () => {
    fc.assert(
      fc.property(fc.integer(), (count) => {
        expect(Number(formatCount(count).replaceAll(GROUP_SPACE, ''))).toBe(count)
      }),
    )
  })

  test.each([
    ['+Inf', Infinity],
    ['-Inf', -Infinity],
    ['NaN', NaN],
    ['1e-7', 1e-7],
  ])("Prometheus' %s is read", (text, value) => {
    expect(parseValue(text)).toBe(value)
  })
})
