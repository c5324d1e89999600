import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseNumber, quote, secondsToMs, unquote } from '../../src/promql/literals.ts'
import { formatPlain, formatShort, formatTwoDigits } from '../../src/promql/number-format.ts'

test.each([
  ['1', 1],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['2.', 2],
  ['2.e3', 2000],
  ['1e-3', 0.001],
  ['1_000.5', 1000.5],
  ['0x1f', 31],
  ['0X_1F', 31],
  ['0755', 493],
  ['089', 89],
  ['Inf', Infinity],
  ['nAn', NaN],
  ['5m', 300],
  ['1h30m', 5400],
  ['1y', 31_536_000],
  ['250ms', 0.25],
  ['', undefined],
  ['abc', undefined],
  ['1.2.3', undefined],
  ['5M', undefined],
  ['5m1h', undefined],
])('the number %s', (text, value) => {
  expect(parseNumber(text)).toBe(value)
})

test.each([
  [0.0005, 0],
  [0.0015, 1],
  [1.1, 1100],
  [-1.1, -1100],
])('%f seconds are %i ms', (seconds, ms) => {
  expect(secondsToMs(seconds)).toBe(ms)
})

describe('strings', () => {
  test.each([
    ['"a"', 'a'],
    ["'a\"b'", 'a"b'],
    ['"\\""', '"'],
    ["'\\''", "'"],
    ['"\\a\\b\\f\\n\\r\\t\\v\\\\"', '\u0007\b\f\n\r\t\v\\'],
    ['"\\101\\x41\\u0041\\U00000041"', 'AAAA'],
    ['"\\xe2\\x82\\xacx"', '€x'],
    ['"\\U0001F600"', '😀'],
    ['`\\n\n`', '\\n\n'],
    ['""', ''],
  ])('%s', (literal, text) => {
    expect(unquote(literal)).toBe(text)
  })

  test.each([
    '"',
    '"a',
    'a"',
    '"\\"',
    '"\\q"',
    '"\\\'"',
    '"\\x4"',
    '"\\u00"',
    '"\\400"',
    '"\\ud800"',
    '"\\U00110000"',
    '"a"b"',
    '"a\nb"',
    '`a`b`',
  ])('%j is malformed', (literal) => {
    expect(unquote(literal)).toBeUndefined()
  })

  test('what is quoted can be unquoted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(unquote(quote(text))).toBe(text)
      }),
    )
  })
})

test.each([
  [1, '1', '1'],
  [-0, '-0', '-0'],
  [0.1, '0.1', '0.1'],
  [123456.5, '123456.5', '123456.5'],
  [1_000_000, '1000000', '1e+06'],
  [123_456_789.5, '123456789.5', '1.234567895e+08'],
  [1e21, '1000000000000000000000', '1e+21'],
  [1.5e-7, '0.00000015', '1.5e-07'],
  [123e20, '12300000000000000000000', '1.23e+22'],
  [1.25e22, '12500000000000000000000', '1.25e+22'],
  [-1e-5, '-0.00001', '-1e-05'],
  [NaN, 'NaN', 'NaN'],
  [Infinity, '+Inf', '+Inf'],
  [-Infinity, '-Inf', '-Inf'],
])('%d is printed as Go prints it', (value, plain, short) => {
  expect(formatPlain(value)).toBe(plain)
  expect(formatShort(value)).toBe(short)
})

// What Go prints with %.2g.
test.each([
  [0, '0'],
  [5, '5'],
  [10, '10'],
  [99.4, '99'],
  [99.5, '1e+02'],
  [100, '1e+02'],
  [397, '4e+02'],
  [1234, '1.2e+03'],
  [0.123, '0.12'],
  [1.25, '1.2'],
  [1.75, '1.8'],
  [1.15, '1.1'],
  [0.0001, '0.0001'],
  [0.00001234, '1.2e-05'],
  [-1.25e-7, '-1.2e-07'],
  [1e100, '1e+100'],
  [Infinity, '+Inf'],
])('%d in two digits is %s', (value, text) => {
  expect(formatTwoDigits(value)).toBe(text)
})

test('printing loses nothing', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(formatPlain(value))).toBe(value)
      expect(Number(formatShort(value))).toBe(value)
    }),
  )
})
