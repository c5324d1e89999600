import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatExponent, formatTime, formatValue, sampleValue } from '../../../src/api/prometheus/format-value.ts'

// Go's strconv.FormatFloat(v, 'f', -1, 64), with an exponent below 1e-6 and from 1e21 on.
test.each([
  [0, '0'],
  [-0, '-0'],
  [1, '1'],
  [-1.5, '-1.5'],
  [0.1 + 0.2, '0.30000000000000004'],
  [1e20, '100000000000000000000'],
  [123456789012345680000, '123456789012345680000'],
  [1e21, '1e+21'],
  [-1.25e22, '-1.25e+22'],
  [0.000001, '0.000001'],
  [9.9e-7, '9.9e-07'],
  [-1.5e-9, '-1.5e-09'],
  [1e-9, '1e-09'],
  [9.99e-10, '9.99e-10'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [NaN, 'NaN'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
])('the value %d is written as %s', (value, text) => {
  expect(formatValue(value)).toBe(text)
})

test('a value reads back as the same float', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(formatValue(value))).toBe(value)
    }),
  )
})

// strconv.FormatFloat(v, 'e', -1, 64)
test.each([
  [1, '1e+00'],
  [15, '1.5e+01'],
  [0.001, '1e-03'],
  [-0, '-0e+00'],
  [1e100, '1e+100'],
  [1787220000, '1.78722e+09'],
  [NaN, 'NaN'],
  [Infinity, '+Inf'],
])('an alert of value %d shows %s', (value, text) => {
  expect(formatExponent(value)).toBe(text)
})

test.each([
  [undefined, '0001-01-01T00:00:00Z'],
  [0, '1970-01-01T00:00:00Z'],
  [1787220000000, '2026-08-20T10:00:00Z'],
  [1787220000120, '2026-08-20T10:00:00.12Z'],
  [1787220010001, '2026-08-20T10:00:10.001Z'],
])('the time %s is written as %s', (timeMs, text) => {
  expect(formatTime(timeMs)).toBe(text)
})

test.each([
  [1.5, '1.5'],
  [NaN, '"NaN"'],
  [Infinity, '"+Inf"'],
  [-Infinity, '"-Inf"'],
])('the value %d is %s in our own JSON', (value, json) => {
  expect(JSON.stringify(sampleValue(value))).toBe(json)
})
