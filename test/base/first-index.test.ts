import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstIndexWhere } from '../../src/base/first-index.ts'

test('the first item that is not below a limit, or the length', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.integer({ min: -1, max: 21 }), (items, limit) => {
      const rising = items.toSorted((a, b) => a - b)
      expect(firstIndexWhere(rising, (item) => item >= limit)).toBe(rising.filter((item) => item < limit).length)
    }),
  )
})
