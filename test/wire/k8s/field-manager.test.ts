import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldManagerOf } from '../../../src/wire/k8s/field-manager.ts'
import { otlpValueOf } from '../../support/otlp-logs.ts'

const entry = (manager: unknown, time: unknown, more: object = {}): object => ({ manager, time, ...more })
const of = (managedFields: unknown): string | undefined => {
  const found = fieldManagerOf(otlpValueOf({ metadata: { managedFields } }))
  return found === undefined ? undefined : Object.values(found).join('/')
}
const [EARLIER, LATER] = ['2026-08-20T10:00:00Z', '2026-08-20T10:05:00Z']

test.each<[string, unknown, string | undefined]>([
  ['nobody', undefined, undefined],
  ['an empty list', [], undefined],
  ['one', [entry('olm', EARLIER, { operation: 'Update', subresource: 'status' })], 'olm/Update/status'],
  ['the newest, wherever it stands', [entry('a', LATER), entry('b', EARLIER)], 'a//'],
  ['of one second the later entry', [entry('a', LATER), entry('b', LATER)], 'b//'],
  ['one alone needs no time', [entry('a', undefined)], 'a//'],
  ['several without times', [entry('a', undefined), entry('b', undefined)], undefined],
  ['the one that has a time', [entry('a', EARLIER), entry('b', undefined)], 'a//'],
  ['a time that is none', [entry('a', 'soon'), entry('b', EARLIER)], 'b//'],
  ['the newest without a name', [entry('a', EARLIER), entry('', LATER)], undefined],
  ['a name longer than any', [entry('x'.repeat(129), LATER)], undefined],
  ['a name that cannot be printed', [entry('a\tb', LATER)], undefined],
  ['entries that are none', [7, 'x', null, [], {}], undefined],
  ['no list', { manager: 'a' }, undefined],
])('%s', (_name, managedFields, want) => {
  expect(of(managedFields)).toBe(want)
})

test('whatever the list is, there is an answer', () => {
  const junk = fc.oneof(fc.constantFrom(null, 7, '', 'x', EARLIER), fc.array(fc.constant(7)), fc.constant({}))
  const entries = fc.array(fc.oneof(junk, fc.record({ manager: junk, time: junk, operation: junk, subresource: junk })))
  fc.assert(
    fc.property(entries, (managedFields) => {
      expect(of(managedFields)?.split('/').length ?? 3).toBe(3)
    }),
    { numRuns: 60 },
  )
})
