import { describe, expect, test } from 'vitest'
import { exponentialBound, upperBound } from '../../../src/promql/histogram/bounds.ts'
import { custom } from './make.ts'

describe('the upper bound of an exponential bucket', () => {
  test.each([
    [0, 0, 1],
    [1, 0, 2],
    [-1, 0, 0.5],
    [1, 1, 1.414213562373095],
    [-1, 1, 0.7071067811865475],
    [3, 2, 1.6817928305074288],
    [1, 8, 1.0027112750502025],
    [1, -1, 4],
    [-1, -2, 1 / 16],
    [2, -4, 2 ** 32],
    [1024, 0, Number.MAX_VALUE],
    [1025, 0, Infinity],
    [64, -4, Number.MAX_VALUE],
    [65, -4, Infinity],
    [1024 * 256, 8, Number.MAX_VALUE],
    [1024 * 256 - 1, 8, 0.9972960560854698 * 2 * 2 ** 1023],
    [-1074, 0, Number.MIN_VALUE],
  ])('of index %d in schema %d is %d', (index, schema, bound) => {
    expect(exponentialBound(index, schema)).toBe(bound)
  })

  test('rises with the index, and every second one of a schema is one of the schema below', () => {
    for (let schema = -3; schema <= 8; schema++) {
      const most = schema < 0 ? 50 : 400
      for (let index = -most; index <= most; index++) {
        expect(exponentialBound(index + 1, schema)).toBeGreaterThan(exponentialBound(index, schema))
        expect(exponentialBound(index * 2, schema)).toBe(exponentialBound(index, schema - 1))
      }
    }
  })
})

test('custom bounds are between the infinities', () => {
  const histogram = custom([-1, 5])
  expect([-1, 0, 1, 2].map((index) => upperBound(histogram, index))).toEqual([-Infinity, -1, 5, Infinity])
})
