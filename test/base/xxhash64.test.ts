import { expect, test } from 'vitest'
import { xxhash64 } from '../../src/base/xxhash64.ts'

test.each([
  ['', 'ef46db3751d8e999', 'nothing'],
  ['a', 'd24ec4f1a98c6e5b', 'one byte'],
  ['abc', '44bc2cf5ad770999', 'less than four bytes'],
  ['Nobody inspects the spammish repetition', 'fbcea83c8a378bf1', 'a whole stripe and a rest'],
])('%j is %s: %s', (text, wanted) => {
  expect(xxhash64(new TextEncoder().encode(text)).toString(16)).toBe(wanted)
})

test('a part of a larger buffer is hashed as itself', () => {
  const bytes = new TextEncoder().encode('..abc..')
  expect(xxhash64(bytes.subarray(2, 5)).toString(16)).toBe('44bc2cf5ad770999')
})
