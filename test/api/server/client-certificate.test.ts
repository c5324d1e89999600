import { expect, test } from 'vitest'
import { namesOf } from '../../../src/api/server/client-certificate.ts'

const subject = (CN: unknown) => ({ CN }) as never

test.each([
  [
    'DNS:a.example, URI:spiffe://fleet/a, email:a@example',
    ['dns a.example', 'uri spiffe://fleet/a', 'email a@example'],
  ],
  ['IP Address:10.0.0.1, DNS:a', ['dns a']],
  ['DNS:', ['dns ']],
  // A name with a comma is one name, as Node quotes it, and no second one.
  ['DNS:"a, DNS:b"', ['dns a, DNS:b']],
  ['URI:"x\\", DNS:b", DNS:c', ['uri x", DNS:b', 'dns c']],
  // What cannot be read for sure is no name at all.
  ['DNS:a, "DNS:b', []],
  ['DNS:a"b', []],
  ['nothing', []],
  ['', []],
])('the alternative names %s are %j', (subjectaltname, names) => {
  expect(namesOf({ subjectaltname }).map(({ field, value }) => `${field} ${value}`)).toEqual(names)
})

test('a common name that is there twice is none', () => {
  expect(namesOf({ subject: subject('prague') })).toEqual([{ field: 'cn', value: 'prague' }])
  expect(namesOf({ subject: subject(['prague', 'brno']) })).toEqual([])
  expect(namesOf({})).toEqual([])
})
