import { expect, test } from 'vitest'
import { remembered } from '../../src/base/remembered.ts'

test('a result is computed once for each object, also when it is undefined', () => {
  const asked: object[] = []
  const nameOf = remembered((key: { readonly name?: string }) => {
    asked.push(key)
    return key.name
  })
  const [one, none] = [{ name: 'a' }, {}]
  expect([nameOf(one), nameOf(none), nameOf(one), nameOf(none)]).toEqual(['a', undefined, 'a', undefined])
  expect(asked).toEqual([one, none])
})
