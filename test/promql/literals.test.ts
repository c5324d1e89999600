import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quoteGo } from '../../src/base/go-quote.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { PromqlError } from '../../src/promql/promql-error.ts'
import { parseNumber, secondsToMs, unquote } from '../../src/promql/literals.ts'

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
  ])('%j is refused', (literal) => {
    expect(() => parseExpr(literal)).toThrow(PromqlError)
  })

  test('what is quoted can be unquoted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(unquote(quoteGo(text))).toBe(text)
      }),
    )
  })
})
