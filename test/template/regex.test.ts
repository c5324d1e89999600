import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { allMatches } from '../../src/template/regex-matches.ts'
import { replaceAll } from '../../src/template/regex.ts'

/** The matches as RE2 finds them by one search after the other. */
function searched(regex: RE2JS, text: string): (string | undefined)[][] {
  return Array.from(regex.matchAll(text) as Iterable<RegExpExecArray>, (match) => [String(match.index), ...match])
}

function found(regex: RE2JS, text: string): (string | undefined)[][] {
  return Array.from(allMatches(regex, text), ({ from, groups }) => [String(from), ...groups])
}

const piece = fc.constantFrom(
  ...['a', 'b', '.', '\\w', '[^a]', '(?i:A)', 'é', '😀', '\\b', '^', '$', '(?m:^)', '(?m:$)', '\\B', '\\n', '(?s:.)'],
)
const pattern = fc.letrec<{ readonly any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    piece,
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `${a}${b}`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}|${b})`),
    fc
      .tuple(tie('any'), fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{0,2}', '{2}'))
      .map(([a, n]) => `(?:${a})${n}`),
    tie('any').map((a) => `(${a})`),
    tie('any').map((a) => `(|${a})*`),
  ),
})).any

describe('all matches of a pattern', () => {
  test('are those of one search after the other, with their groups', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'A', 'b', ' ', '\n', 'é', '😀'), maxLength: 12 })
    fc.assert(
      fc.property(pattern, text, (source, searchedText) => {
        const regex = RE2JS.compile(source)
        expect(found(regex, searchedText)).toEqual(searched(regex, searchedText))
      }),
      { numRuns: 1500 },
    )
  })

  test('are found in linear time where each search would read the rest of the text', () => {
    const text = 'a'.repeat(10_000)
    // RE2 would take 50 million characters by 50 instructions.
    expect(replaceAll('a.{0,50}.*b|a', 'x', text)).toBe('x'.repeat(10_000))
    expect(replaceAll('a.{0,50}.*b|a', 'x', `${text.slice(1)}b`)).toBe('x')
  })

  test('have names', () => {
    expect(replaceAll('(?P<first>a)(?P<second>b)?', '<${second}${first}>', 'abxa')).toBe('<ba>x<a>')
  })
})

test('a pattern and a text that are too large together are refused', () => {
  const text = 'a'.repeat(10_000)
  expect(() => replaceAll('(?:abcdefghij){120}', 'x', text)).toThrow('want at most 10000000')
})
