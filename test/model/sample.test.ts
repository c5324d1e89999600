import { describe, expect, test } from 'vitest'
import { bitsOf, isStaleAt, isStaleWords, setStaleAt } from '../../src/model/sample.ts'

describe('stale markers', () => {
  test('a marker written into a column is found again, and a copy of the column keeps it', () => {
    const values = Float64Array.from([1, NaN, 0, 3])
    setStaleAt(bitsOf(values), 2)
    for (const column of [values, values.slice(), new Float64Array(values)]) {
      expect([0, 1, 2, 3].map((i) => isStaleAt(bitsOf(column), i))).toEqual([false, false, true, false])
    }
  })

  test.each([
    [0x7ff00000, 2, true, 'as sent'],
    [0x7ff80000, 2, true, 'quieted on its way'],
    [0x7ff80000, 1, false, 'a usual NaN of Prometheus'],
    [0x7ff80000, 0, false, 'a usual NaN of JavaScript'],
    [0x7ff00000, 0, false, 'infinity'],
  ])('words %i %i: %s (%s)', (high, low, want) => {
    expect(isStaleWords(high, low)).toBe(want)
  })
})
