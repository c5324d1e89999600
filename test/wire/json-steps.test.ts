import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonInSteps } from '../../src/wire/json-steps.ts'
import { atOnce } from '../support/at-once.ts'

const parse = (text: string): unknown => atOnce(parseJsonInSteps(text))

/** As `JSON.parse`: the value, or that there is none. */
function expectEqual(text: string): void {
  let expected: unknown
  try {
    expected = JSON.parse(text)
  } catch {
    expect(() => parse(text)).toThrow(SyntaxError)
    return
  }
  const parsed = parse(text)
  expect(parsed).toEqual(expected)
  // The order of keys, too.
  expect(JSON.stringify(parsed)).toBe(JSON.stringify(expected))
}

const LONG = 'x'.repeat(200_000)
const MANY = Array.from({ length: 40_000 }, (_, i) => i).join(',')

describe('large texts are parsed as JSON.parse does', () => {
  test.each<[string, string]>([
    ['a list', `[${MANY}]`],
    ['lists in lists', `[[${MANY}],[${MANY}],1,[[[[[[[[[[[${MANY}]]]]]]]]]]]]`],
    ['objects and lists', `{"a":1,"b":[${MANY}],"c":{"d":{"e":"${LONG}"},"f":[${MANY}]},"g":2}`],
    ['spaces everywhere', ` \n{ "a" : [ ${MANY} ] , "b" : { "c" : [ ${MANY} ] } }\t\r\n `],
    [
      'quotes, brackets and backslashes in texts',
      `["\\\\","\\"[{,","]}",${MANY},"\\\\\\"","a\\u0022",["${LONG}\\\\"]]`,
    ],
    ['repeated keys', `{"a":[${MANY}],"b":1,"a":{"c":[${MANY}]},"b":[${MANY}]}`],
    ['keys that are numbers', `{"b":[${MANY}],"2":[${MANY}],"1":0}`],
    ['keys of the language', `{"__proto__":[${MANY}],"constructor":{"__proto__":"${LONG}"},"toString":1}`],
    ['a key with escapes', `{"a\\"b\\\\":[${MANY}]}`],
    ['nothing but a text', `"${LONG}"`],
    ['a byte order mark', `\ufeff[${MANY}]`],
  ])('%s', (_what, text) => {
    expectEqual(text)
  })

  test.each([
    ...[`[${MANY}`, `[${MANY}]]`, `[${MANY}}`, `[${MANY},]`, `[,${MANY}]`, `[[${MANY}],]`, `[[${MANY}],,1]`],
    ...[`[1 [${MANY}]]`, `[[${MANY}] [1]]`, `[[${MANY}] 1]`, `[${MANY}] 1`, `x[${MANY}]`, `{"a":[${MANY}],}`],
    ...[`{"a" [${MANY}]}`, `{[${MANY}]}`, `{"a":"b" [${MANY}]}`, `{"a":1 "b":[${MANY}]}`, `{"a"::[${MANY}]}`],
    ...[`{"a":[${MANY}] "b":1}`, `[\u00a0[${MANY}]]`, `["${LONG}`, `["${LONG}\\"]`, `{1:[${MANY}]}`, `["a":[${MANY}]]`],
    ...[`{"a":[${MANY}],"b"}`, `{"a":1,:[${MANY}]}`, `{"a":[${MANY}],[${MANY}]}`, `[{]${MANY}}`],
  ])('no JSON: %#', (text) => {
    expectEqual(text)
  })

  test('any value, with any damage', () => {
    const large = fc.constantFrom(
      LONG,
      Array.from({ length: 26_000 }, (_, i) => i),
    )
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        large,
        fc.jsonValue({ maxDepth: 2 }),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 5 }), tie('node'), { maxKeys: 4 }),
      ),
    })).node
    const damage = fc.option(
      fc.record({ at: fc.nat(), by: fc.constantFrom(',', ':', '[', ']', '{', '}', '"', ' ', '') }),
    )
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 4 }),
        fc.nat({ max: 2 }),
        damage,
        (given, indent, change) => {
          const text = JSON.stringify(given, undefined, indent)
          const at = change === null ? 0 : change.at % text.length
          expectEqual(change === null ? text : text.slice(0, at) + change.by + text.slice(at + 1))
        },
      ),
      { numRuns: 25 },
    )
  })
})

test('the steps of a large text are many, and of a small one none', () => {
  const count = (text: string): number => {
    const steps = parseJsonInSteps(text)
    let taken = 0
    while (steps.next().done !== true) taken++
    return taken
  }
  expect(count('{"a":[1,2,3]}')).toBe(0)
  const records = Array.from({ length: 50_000 }, (_, i) => `{"time":"${i}","body":{"value":"a line of a log"}}`)
  const text = `{"resources":[{"scopes":[{"records":[${records.join(',')}]}]}]}`
  expect(count(text)).toBeGreaterThan(text.length / 400_000)
})
