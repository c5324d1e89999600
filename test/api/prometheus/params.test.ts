import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  TIME_MAX_MS,
  TIME_MIN_MS,
  durationParam,
  limitParam,
  lookbackParam,
  parseFloat64,
  parseTime,
  type Params,
} from '../../../src/api/prometheus/params.ts'

const params = (fields: Readonly<Record<string, string>>): Params => ({
  get: (name) => fields[name] ?? '',
  all: (name) => (fields[name] === undefined ? [] : [fields[name]]),
})

describe('times', () => {
  test.each([
    ['0', 0],
    ['1787220000', 1787220000000],
    ['1787220000.1234', 1787220000123],
    ['1787220000.1235', 1787220000124],
    ['-1.5', -1500],
    ['1.0005', 1000],
    ['1.0015', 1002],
    ['2.5005', 2501],
    ['0.0005', 1],
    ['-0.0005', -1],
    ['-1.0005', -1000],
    ['1.787220e9', 1787220000000],
    ['.5', 500],
    ['2026-08-20T10:00:00Z', 1787220000000],
    ['2026-08-20T12:00:00+02:00', 1787220000000],
    ['2026-08-20T10:00:00.123456Z', 1787220000123],
    ['1969-12-31T23:59:59.5Z', -500],
    ['0001-01-01T00:00:00Z', -62135596800000],
    ['9223372036854775807', TIME_MAX_MS],
    ['-1e300', TIME_MIN_MS],
    ['+Inf', TIME_MAX_MS],
    ['-292273086-05-16T16:47:06Z', TIME_MIN_MS],
    ['292277025-08-18T07:12:54.999999999Z', TIME_MAX_MS],
  ])('%s is %d', (text, timeMs) => {
    expect(parseTime(text)).toBe(timeMs)
  })

  test.each([
    '',
    'foo',
    'NaN',
    '1 ',
    '1_000',
    '0x10',
    '2026-08-20',
    '2026-02-30T00:00:00Z',
    '2026-08-20T24:00:00Z',
    '2026-08-20T10:00:00',
    '2026-13-01T00:00:00Z',
    '2026-08-20 10:00:00Z',
    '1h',
    'constructor',
    '__proto__',
  ])('%j is no time', (text) => {
    expect(parseTime(text)).toBeUndefined()
  })

  test('any date reads as what it says', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          expect(parseTime(date.toISOString())).toBe(date.getTime())
        },
      ),
    )
  })
})

describe('durations', () => {
  test.each([
    ['15', 15_000],
    ['0.5', 500],
    ['0.0001', 0.1],
    ['1m', 60_000],
    ['1h30m', 5_400_000],
    ['-1', -1000],
    ['0', 0],
    ['1e3', 1_000_000],
  ])('%s is %d ms', (text, durationMs) => {
    expect(durationParam(params({ step: text }), 'step')).toBe(durationMs)
  })

  test.each([
    ['foo', 'invalid parameter "step": cannot parse "foo" to a valid duration'],
    ['', 'invalid parameter "step": cannot parse "" to a valid duration'],
    ['1m1h', 'invalid parameter "step": cannot parse "1m1h" to a valid duration'],
    ['1e12', 'invalid parameter "step": cannot parse "1e12" to a valid duration. It overflows int64'],
    ['NaN', 'invalid parameter "step": cannot parse "NaN" to a valid duration'],
  ])('%j is refused', (text, message) => {
    expect(() => durationParam(params({ step: text }), 'step')).toThrow(message)
  })

  test('a lookback is told apart by its own words, and zero means the default', () => {
    expect(lookbackParam(params({ lookback_delta: '1m' }))).toBe(60_000)
    expect(lookbackParam(params({ lookback_delta: '0' }))).toBeUndefined()
    expect(lookbackParam(params({}))).toBeUndefined()
    expect(() => lookbackParam(params({ lookback_delta: 'x' }))).toThrow(
      'error parsing lookback delta duration: cannot parse "x" to a valid duration',
    )
  })
})

test.each([
  ['', Infinity],
  ['0', Infinity],
  ['1', 1],
  ['+7', 7],
])('limit %j is %d', (text, limit) => {
  expect(limitParam(params({ limit: text }))).toBe(limit)
})

test.each([
  ['-1', 'invalid parameter "limit": limit must be non-negative'],
  ['NaN', 'invalid parameter "limit": limit must be a number'],
  ['1.5', 'invalid parameter "limit": limit must be a number'],
])('limit %j is refused', (text, message) => {
  expect(() => limitParam(params({ limit: text }))).toThrow(message)
})

test('a float is read or refused, never misread', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double().map(String), fc.string()), (text) => {
      const value = parseFloat64(text)
      if (value !== undefined && Number.isFinite(value)) expect(value).toBe(Number(text))
    }),
  )
})
