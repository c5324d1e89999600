import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clipped } from '../../src/base/clipped.ts'

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value))

test.each([
  [
    'short fields',
    { route: '/x', count: 3, isOpen: true, nothing: null, big: 5n },
    { route: '/x', count: 3, isOpen: true, nothing: null, big: '5' },
  ],
  ['lists and objects', { a: [{ b: 'c' }] }, { a: [{ b: 'c' }] }],
  ['a text of the whole size', { a: 'x'.repeat(91) }, { a: 'x'.repeat(91) }],
  ['a text that is one byte longer', { a: 'x'.repeat(92) }, { a: `${'x'.repeat(91)}…` }],
  ['a text whose characters take two bytes each', { a: 'é'.repeat(46) }, { a: `${'é'.repeat(45)}…` }],
  ['a text whose characters take six bytes each', { a: '\0'.repeat(16) }, { a: `${'\0'.repeat(15)}…` }],
  ['fields after a long text', { a: 'x'.repeat(500), b: 1 }, { a: `${'x'.repeat(91)}…`, '…': '…' }],
  ['a long list', { a: Array.from({ length: 99 }, () => 1) }, { a: [...Array.from({ length: 12 }, () => 1), '…'] }],
])('%s', (_, value, want) => {
  expect(clipped(value, 100)).toEqual(want)
})

test('the name of a field is foreign too', () => {
  expect(Object.entries(clipped(JSON.parse('{"__proto__":"x","a":"b"}') as object, 100))).toEqual([
    ['__proto__', 'x'],
    ['a', 'b'],
  ])
})

describe('an error', () => {
  test('has its type, code, message, places and cause, and its message once', () => {
    const error = Object.assign(new TypeError('m'.repeat(50), { cause: new Error('why') }), { code: 'E1' })
    const { err } = clipped({ err: error }, 4000) as { err: Record<string, unknown> }
    expect(err).toMatchObject({ type: 'TypeError', code: 'E1', message: 'm'.repeat(50), cause: { message: 'why' } })
    expect(err['stack']).toMatch(/^ {4}at .*clipped\.test\.ts/)
  })

  test('that causes itself ends somewhere', () => {
    const error = new Error('x')
    error.cause = error
    expect(bytesOf(clipped({ err: error }, 100_000))).toBeLessThan(20_000)
  })
})

test('the JSON of any value is at most a little longer than the limit', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 12 })), (value) => {
      expect(bytesOf(clipped(value, 200))).toBeLessThan(1000)
      // What fits is complete, up to the depth.
      if (bytesOf(value) < 16) expect(clipped(value, 200)).toEqual(Object.assign(Object.create(null), value))
    }),
  )
})
