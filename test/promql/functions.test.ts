import { expect, test } from 'vitest'
import { FUNCTIONS, UNSUPPORTED_FUNCTIONS } from '../../src/promql/functions.ts'
import { isImplemented } from '../../src/promql/evaluate/call.ts'
import { diagnose } from '../../src/promql/parse.ts'

test('every function the checker lets through is computed', () => {
  expect(Object.keys(FUNCTIONS).filter((name) => !isImplemented(name))).toEqual([])
})

test('no function is both there and not there', () => {
  expect(Object.keys(FUNCTIONS).filter((name) => name in UNSUPPORTED_FUNCTIONS)).toEqual([])
})

test.each(Object.keys(UNSUPPORTED_FUNCTIONS))('%s is refused by name, not as unknown', (name) => {
  const [first] = diagnose(`sum(${name}(foo))`)
  expect(first).toMatchObject({ from: 4, to: 4 + name.length })
  expect(first?.message).toMatch(/^function ".*" is not supported: [a-z ]+$/)
})
