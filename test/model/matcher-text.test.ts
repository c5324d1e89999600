import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import {
  MatcherTextError,
  compileMatchers,
  formatMatchers,
  parseMatchers,
  sortMatchers,
} from '../../src/model/matcher-text.ts'

describe('parseMatchers', () => {
  test.each([
    ['a="b"', '{a="b"}'],
    ['a=b', '{a="b"}'],
    [' a = b , c != d ', '{a="b",c!="d"}'],
    ['{a=~"x|y",b!~"z.*",}', '{a=~"x|y",b!~"z.*"}'],
    ['{}', '{}'],
    ['', '{}'],
    ['a=', '{a=""}'],
    ['a=""', '{a=""}'],
    ['a=b=', '{a="b="}'],
    ['{a=b', '{a="b"}'],
    ['a="x, \\"y\\" z"', '{a="x, \\"y\\" z"}'],
    ['a="line\\nbreak"', '{a="line\\nbreak"}'],
    [String.raw`a="\d"`, String.raw`{a="\\d"}`],
    ['namespace:cpu=x', '{namespace:cpu="x"}'],
    ['"k8s.cluster.name"="lab"', '{k8s.cluster.name="lab"}'],
    ['"with blank"="lab"', '{"with blank"="lab"}'],
    ['ключ=значение', '{ключ="значение"}'],
    [String.raw`{"a\u00e9"="\x41"}`, '{aé="A"}'],
  ])('%s', (text, want) => {
    expect(formatMatchers(parseMatchers(text))).toBe(want)
  })

  test.each(['a', '=b', '"a', 'a="b', 'a=b,,c=d', 'a=~"("', 'a b', '""=b', 'a="b" c="d"', '{,}', 'k.v==b', '"\\q"=a'])(
    '%s is refused',
    (text) => {
      expect(() => parseMatchers(text)).toThrow(MatcherTextError)
    },
  )

  test('what is written is read again, whatever the names and values', () => {
    const name = fc.oneof(fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/), fc.constantFrom('k8s.name', 'with blank', 'é'))
    const matcher = fc.record({ name, op: fc.constantFrom('=', '!=' as const), value: fc.string({ maxLength: 10 }) })
    fc.assert(
      fc.property(fc.array(matcher, { maxLength: 4 }), (matchers) => {
        const sorted = sortMatchers(matchers)
        expect(parseMatchers(formatMatchers(sorted))).toEqual(sorted)
      }),
    )
  })
})

test('all must match, an absent label is the empty text, and none match everything', () => {
  const labels = Labels.of({ a: '1', b: '2' })
  expect(compileMatchers(parseMatchers('a=1,b=~"[12]"'))(labels)).toBe(true)
  expect(compileMatchers(parseMatchers('a=1,b=3'))(labels)).toBe(false)
  expect(compileMatchers(parseMatchers('c=""'))(labels)).toBe(true)
  expect(compileMatchers([])(labels)).toBe(true)
})
