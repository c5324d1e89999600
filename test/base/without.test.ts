import { expect, test } from 'vitest'
import { without } from '../../src/base/without.ts'

test('the copy lacks the field, and the value keeps it', () => {
  const value = { a: 1, b: 2 }
  expect(without(value, 'a')).toStrictEqual({ b: 2 })
  expect(value).toEqual({ a: 1, b: 2 })
})
