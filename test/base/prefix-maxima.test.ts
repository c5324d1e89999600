import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PrefixMaxima } from '../../src/base/prefix-maxima.ts'

test('the greatest value up to each place is that of all values there, after each that is added', () => {
  const number = fc.integer({ min: -4, max: 9 })
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number), { maxLength: 20 }), (values) => {
      const maxima = new PrefixMaxima(values.map(([place]) => place))
      values.forEach(([place, value], i) => {
        maxima.add(place, value)
        for (let at = -5; at <= 10; at++) {
          const known = values.slice(0, i + 1).flatMap(([place, value]) => (place <= at ? [value] : []))
          expect(maxima.upTo(at)).toBe(Math.max(-Infinity, ...known))
        }
      })
    }),
  )
})

test('there is none where nothing was added', () => {
  expect(new PrefixMaxima([]).upTo(5)).toBe(-Infinity)
  expect(new PrefixMaxima([5]).upTo(5)).toBe(-Infinity)
})

test('a value at another place is a bug', () => {
  expect(() => {
    new PrefixMaxima([5]).add(4, 1)
  }).toThrow('a value is added at one of the places')
})
