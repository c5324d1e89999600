import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatGoFloat } from '../../src/base/go-float.ts'

test.each([
  [0, 'g', -1, '0'],
  [-0, 'g', -1, '-0'],
  [NaN, 'g', 4, 'NaN'],
  [Infinity, 'g', 4, '+Inf'],
  [-Infinity, 'f', 2, '-Inf'],
  [100_000, 'g', -1, '100000'],
  [1_000_000, 'g', -1, '1e+06'],
  [5e-324, 'g', -1, '5e-324'],
  [1.7976931348623157e308, 'e', 3, '1.798e+308'],
  [0.000_012_345, 'g', 3, '1.23e-05'],
  [999.99, 'g', 4, '1000'],
  [9999.5, 'g', 4, '1e+04'],
  [0.5, 'f', 0, '0'],
  [1.5, 'f', 0, '2'],
  [2.5, 'f', 0, '2'],
  [0.05, 'f', 0, '0'],
  [0.0001, 'f', 2, '0.00'],
  [9.999, 'f', 2, '10.00'],
  [1.005, 'f', 2, '1.00'],
  [0, 'e', 2, '0.00e+00'],
  [123, 'e', 0, '1e+02'],
] as const)('%d as %%%s with %i is %s', (value, verb, precision, want) => {
  expect(formatGoFloat(value, verb, precision)).toBe(want)
})

const doubles = fc.double({ noNaN: true, noDefaultInfinity: true })

test('the shortest text reads back as the same number', () => {
  fc.assert(
    fc.property(doubles, fc.constantFrom('e' as const, 'f' as const, 'g' as const), (value, verb) => {
      expect(Number(formatGoFloat(value, verb, -1))).toBe(value)
    }),
  )
})

test('a precision is off by at most half of the last digit, and is what JavaScript gives, ties aside', () => {
  const positive = fc.double({ min: 1e-300, max: 1e300, noNaN: true })
  fc.assert(
    fc.property(positive, fc.nat(20), (value, precision) => {
      const ours = formatGoFloat(value, 'e', precision)
      const theirs = value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2')
      const lastDigit = 10 ** (Math.floor(Math.log10(value)) - precision)
      const errors = [ours, theirs].map((text) => Math.abs(Number(text) - value))
      expect(errors[0]).toBeLessThanOrEqual(0.500001 * lastDigit + value * Number.EPSILON)
      if (errors[0] !== errors[1] || Number(ours) === Number(theirs)) expect(ours).toBe(theirs)
    }),
  )
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
  expect(formatGoFloat(value, 'f')).toBe(plain)
  expect(formatGoFloat(value, 'g')).toBe(short)
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
  expect(formatGoFloat(value, 'g', 2)).toBe(text)
})

test('the shortest text parses to the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(formatGoFloat(value, 'f'))).toBe(value)
      expect(Number(formatGoFloat(value, 'g'))).toBe(value)
    }),
  )
})
