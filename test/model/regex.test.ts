import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageOf } from '../../src/base/errors.ts'
import { REGEX_STEPS_MAX, RegexWork } from '../../src/model/regex-limits.ts'
import {
  compileAnchoredRegex,
  escapeRegex,
  expandGroups,
  largestGroup,
  RegexError,
  type RegexMatch,
} from '../../src/model/regex.ts'
import { randomOf } from '../fuzz/mutate.ts'

const matches = (pattern: string, text: string): boolean => compileAnchoredRegex(pattern).test(text)

describe('patterns match as in RE2', () => {
  test.each([
    // pattern, texts that match, texts that do not
    ['', [''], ['a']],
    ['a', ['a'], ['', 'A', 'ab', 'ba']],
    ['.+', ['a', 'a\nb', '😀'], ['']],
    ['(?-s:.+)', ['ab'], ['a\nb']],
    ['(?-s).+', ['ab'], ['a\nb']],
    ['(?s:.+)', ['a\nb'], ['']],
    ['.', ['😀', 'a', '\n'], ['ab']],
    ['a|b', ['a', 'b'], ['ab', '|']],
    ['a|', ['a', ''], ['b']],
    ['(a|b)c', ['ac', 'bc'], ['c', 'abc']],
    ['virt-(api|controller)-.*', ['virt-api-7d', 'virt-controller-'], ['virt-handler-1']],
    ['a*', ['', 'aaa'], ['b']],
    ['a{2}', ['aa'], ['a', 'aaa']],
    ['a{2,}', ['aa', 'aaaa'], ['a']],
    ['a{1,2}', ['a', 'aa'], ['', 'aaa']],
    ['a{,2}', ['a{,2}'], ['aa']],
    ['a{x}', ['a{x}'], ['a']],
    ['{}', ['{}'], ['']],
    ['a]b}', ['a]b}'], ['ab']],
    ['^a$', ['a'], ['^a$']],
    ['\\Aa\\z', ['a'], ['aa']],
    ['^*a', ['a'], ['^a']],
    ['(?m)a$\n^b', ['a\nb'], ['ab']],
    ['(?m:^a$)(?s:.*)', ['a\nb', 'a'], ['ab']],
    ['\\ba\\b b', ['a b'], ['ab']],
    ['a\\Bb', ['ab'], ['a b']],
    ['(?i)pro.*', ['PROduction', 'pro'], ['canary']],
    ['(?i:PRO).*', ['production', 'PROduction'], ['Xpro']],
    ['(?i:k)', ['k', 'K', '\u212a'], ['s']],
    ['(?i:ä)', ['ä', 'Ä'], ['a']],
    ['(?i:[a-c])x', ['Bx', 'bx'], ['BX', 'dx']],
    ['(?i:[^a])', ['b', 'B'], ['a', 'A']],
    ['((?i)a)b', ['Ab', 'ab'], ['AB']],
    ['(?i)a(?-i)b', ['Ab'], ['AB']],
    ['a(?i)b|c', ['aB', 'C'], ['AB']],
    ['(?U)a+', ['aaa'], ['']],
    ['[abc]+', ['cab'], ['d', '']],
    ['[^abc]', ['d', '\n'], ['a', '']],
    ['[]a]', [']', 'a'], ['b']],
    ['[^]a]', ['b'], [']', 'a']],
    ['[a-c-e]', ['b', '-', 'e'], ['d']],
    ['[a-]', ['-', 'a'], ['b']],
    ['[-a]', ['-', 'a'], ['b']],
    ['[.*+?]', ['.', '*', '+', '?'], ['a']],
    ['[\\]\\\\]', [']', '\\'], ['a']],
    ['[[:alpha:]_]+', ['aZ_'], ['1']],
    ['[[:^alpha:]]', ['1', 'é'], ['a']],
    ['[[:space:]]', ['\v', ' '], ['a']],
    ['\\s', [' ', '\t'], ['\v', '\u00a0']],
    ['\\d+', ['019'], ['\u0661', 'a']],
    ['\\w+', ['aZ_9'], ['é', '-']],
    ['[\\w.]+', ['a.b'], ['a-b']],
    ['[^\\d]', ['a'], ['1']],
    ['\\D\\S\\W', ['ab-'], ['1b-']],
    ['\\.\\-\\/\\_\\@', ['.-/_@'], ['a']],
    ['\\x41\\x{1F600}', ['A😀'], ['A']],
    ['\\101\\07', ['A\u0007'], ['101']],
    ['\\t\\n\\r\\f\\v\\a', ['\t\n\r\f\v\u0007'], ['']],
    ['\\Qa.b*\\E+', ['a.b*', 'a.b**'], ['aXb']],
    ['\\Qa.b', ['a.b'], ['aXb']],
    ['\\pL+', ['aé'], ['1']],
    ['\\p{Greek}', ['λ'], ['l']],
    ['\\P{Greek}', ['l'], ['λ']],
    ['\\p{^Lu}', ['a'], ['A']],
    ['[\\p{Lu}\\d]+', ['A1'], ['a']],
    ['(?P<name>a)(?<other>b)', ['ab'], ['a']],
    ['(?:a|b)+?', ['abab'], ['']],
    ['a??b', ['ab', 'b'], ['aab']],
  ] as const)('%j', (pattern, good, bad) => {
    expect(good.filter((text) => !matches(pattern, text))).toEqual([])
    expect(bad.filter((text) => matches(pattern, text))).toEqual([])
  })
})

test.each([
  ['(', 'missing closing )'],
  ['a)', 'unexpected )'],
  ['*a', 'missing argument to repetition operator: `*`'],
  ['a|*', 'missing argument to repetition operator: `*`'],
  ['a**', 'invalid nested repetition operator: `**`'],
  ['a{2}{3}', 'invalid nested repetition operator: `{2}{3}`'],
  ['a*?+', 'invalid nested repetition operator'],
  ['a{1001}', 'invalid repeat count: `{1001}`'],
  ['a{2,1}', 'invalid repeat count: `{2,1}`'],
  ['((a{100}){100}){100}', 'promql.regex-instructions-max'],
  ['[a', 'missing closing ]: `[a`'],
  ['[z-a]', 'invalid character class range: `z-a`'],
  ['[[:nope:]]', 'invalid character class range: `[:nope:]`'],
  ['[[:constructor:]]', 'invalid character class range: `[:constructor:]`'],
  ['\\', 'trailing backslash at end of expression'],
  ['\\1', 'invalid escape sequence: `\\1`'],
  ['\\Z', 'invalid escape sequence: `\\Z`'],
  ['\\k', 'invalid escape sequence: `\\k`'],
  ['\\x{110000}', 'invalid escape sequence: `\\x{110000`'],
  ['\\xZ', 'invalid escape sequence: `\\xZ`'],
  ['\\p{Nope}', 'invalid character class range: `\\p{Nope}`'],
  ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(?!a)', 'invalid or unsupported Perl syntax: `(?!`'],
  ['(?<=a)', 'invalid named capture: `(?<=a)`'],
  ['(?<!a)', 'invalid named capture: `(?<!a)`'],
  ['(?x)a', 'invalid or unsupported Perl syntax: `(?x`'],
  ['(?P<a-b>c)', 'invalid named capture: `(?P<a-b>`'],
  ['(?P<a>b)(?P<a>c)', 'duplicate capture group name: `a`'],
  ['('.repeat(1001) + ')'.repeat(1001), 'expression nests too deeply'],
])('%j is refused: %s', (pattern, message) => {
  expect(() => compileAnchoredRegex(pattern)).toThrow(RegexError)
  expect(() => compileAnchoredRegex(pattern)).toThrow(message)
})

test.each([
  ['(a*)*b', 'a'.repeat(5000)],
  ['(a|a)*b', 'a'.repeat(5000)],
  ['(a|aa)+$b', 'a'.repeat(5000)],
  ['(.*)(.*)(.*)(.*)(.*)x', 'a'.repeat(2000)],
  ['(\\w+\\s?)*!', 'word '.repeat(500)],
  ['(x+x+)+y', 'x'.repeat(2000)],
  ['((a|ab)(c|bc))'.repeat(34), `${'abc'.repeat(34)}x`],
  ['(a|b|c|d)*'.repeat(500), `${'abcd'.repeat(1000)}x`],
])('%s does not run away', (pattern, text) => {
  expect(matches(pattern, text)).toBe(false)
})

test.each([
  ['(.*)-value-(.*)', 'source-value-10', ['source-value-10', 'source', '10']],
  ['(a+?)(a*)', 'aaa', ['aaa', 'a', 'aa']],
  ['(a)|(b)', 'b', ['b', undefined, 'b']],
  ['(a|ab)(c|bcd)(d*)', 'abcd', ['abcd', 'a', 'bcd', '']],
])('%s takes %s apart as RE2 does', (pattern, text, groups) => {
  expect(Array.from(compileAnchoredRegex(pattern).exec(text)!)).toEqual(groups)
})

test('groups have their names', () => {
  expect(compileAnchoredRegex('(?P<key>(a|b)*)=(?P<value>.*)').exec('ab=c')?.groups).toEqual({ key: 'ab', value: 'c' })
})

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '(a|b)',
  '(?:ab|a)',
  '(b)',
  '(?:\\b)',
  '(?:^)',
  '(?:$)',
)
const piece = fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{1,2}', '*?')).map(([one, many]) => one + many)
const pattern = fc
  .array(
    fc.oneof(
      piece,
      piece.map((one) => `(${one})`),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((pieces) => pieces.join(''))

test('whole texts match as on the engine of JavaScript', () => {
  fc.assert(
    fc.property(pattern, fc.stringMatching(/^[ab1 ]{0,6}$/), (one, text) => {
      const native = new RegExp(`^(?:${one})$`, 's').exec(text)
      expect(compileAnchoredRegex(one).test(text)).toBe(native !== null)
      expect(compileAnchoredRegex(one).exec(text) !== null).toBe(native !== null)
    }),
    { numRuns: 500 },
  )
})

test('an escaped text matches itself alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, other) => {
      const regex = compileAnchoredRegex(escapeRegex(text))
      expect(regex.test(text)).toBe(true)
      expect(regex.test(other)).toBe(text === other)
    }),
  )
})

test('any text is a pattern or refused with a reason', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ab([{)]}*+?|\\^$.-:,0159pPdQEx<>=!iz')) }), (text) => {
      try {
        compileAnchoredRegex(text).test('ab')
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(RegexError)
      }
    }),
    { numRuns: 2000 },
  )
})

describe('long patterns', () => {
  const texts = Array.from({ length: 3000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
  const list = texts.map((text) => text.replaceAll('.', '\\.')).join('|')

  test.each([list, `(${list})`, `(?:${list})`])('a list of texts of any length is accepted: %.20s', (pattern) => {
    expect(pattern.length).toBeGreaterThan(34_000)
    for (const text of [texts[0]!, texts[2999]!]) expect(matches(pattern, text)).toBe(true)
    for (const text of ['', '10.0.0', '10x0.0.0', '10.0.0.0|10.0.0.1']) expect(matches(pattern, text)).toBe(false)
  })

  test('a list matches as RE2 does', () => {
    const piece = fc.constantFrom('a', 'b', '|', '\\.', '\\|', '-', '\n', '(', ')', '(?:', '\\-', '', 'é')
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.array(fc.constantFrom('a', 'b', '|', '.', '-', '\n')),
        (parts, chars) => {
          const pattern = parts.join('')
          const text = chars.join('')
          const outcome = (make: () => RegexMatch | null): unknown => {
            try {
              const match = make()
              return match === null ? null : [...match]
            } catch (thrown) {
              return thrown instanceof RegexError
            }
          }
          // The empty repetition keeps RE2 from reading a list.
          const byRe2 = outcome(() => compileAnchoredRegex(`${pattern}(?:\\z)`).exec(text))
          const isWhole = !pattern.includes('|') || /^\((?:[^()])*\)$/.test(pattern)
          if (isWhole) expect(outcome(() => compileAnchoredRegex(pattern).exec(text))).toEqual(byRe2)
        },
      ),
    )
  })

  test.each([
    ['(a.)'.repeat(8500), 'too long: it has 34000 characters, promql.regex-length-max is 10000'],
    ['.*'.repeat(5001), 'promql.regex-length-max'],
    ['(a{1,30}){1,30}'.repeat(60), 'too large: it needs 54000 instructions, promql.regex-instructions-max is 10000'],
    ['a{1000}'.repeat(400), 'promql.regex-instructions-max'],
    ['[^]a-z]{1000}(\\]{100}){200}', 'promql.regex-instructions-max'],
  ])('%.20s is refused', (pattern, message) => {
    const startMs = performance.now()
    expect(() => compileAnchoredRegex(pattern)).toThrow(message)
    expect(performance.now() - startMs).toBeLessThan(1000)
  })

  test.each(['.*'.repeat(4990), 'a?'.repeat(4900), '[a-z]{10}'.repeat(900), '('.repeat(900) + 'a' + ')'.repeat(900)])(
    '%.20s is accepted',
    (pattern) => {
      expect(() => compileAnchoredRegex(pattern).test('a')).not.toThrow()
    },
  )
})

describe('the work of a pattern', () => {
  const stepsMax = REGEX_STEPS_MAX
  const refused = 'takes more than 10000000 steps (promql.regex-steps-max)'
  const random = randomOf(1)
  const letters = Array.from({ length: 4000 }, () => 'ab'[random(2)]!).join('')

  // Seconds each, before there was a limit.
  test.each<[string, string, string, number | undefined, matched: boolean | string]>([
    ['optional characters', 'a?'.repeat(4900), 'a'.repeat(4000), 0, refused],
    ['optional groups', '(a?)'.repeat(2400), 'a'.repeat(2400), 0, refused],
    ['optional groups, the last one', '(a?)'.repeat(2400), 'a', 2400, refused],
    ['repetitions', '(a|b|c|d)*'.repeat(500), 'abcd'.repeat(1000), 1, refused],
    ['repetitions of a short text', '(a|b|c|d)*'.repeat(500), 'abcd'.repeat(30), 1, true],
    ['repetitions, all groups', '(a|b|c|d)*'.repeat(500), 'abcd'.repeat(100), undefined, refused],
    ['repetitions that do not match', '(a|b|c|d)*'.repeat(500), `${'abcd'.repeat(1000)}x`, 1, false],
    ['alternatives', '((a|ab)(c|bc))'.repeat(34), 'abc'.repeat(34), undefined, true],
    ['alternatives that do not match', '((a|ab)(c|bc))'.repeat(34), `${'abc'.repeat(34)}x`, undefined, false],
    ['states without end', `(a|b)*a${'(a|b)'.repeat(300)}`, letters, 0, refused],
    ['a simple pattern on a long text', '(.*)-(.*)', `${'a'.repeat(4000)}-b`, undefined, true],
  ])('%s: bounded', (_, pattern, text, groups, outcome) => {
    const regex = compileAnchoredRegex(pattern)
    const startedMs = performance.now()
    let got: boolean | string
    try {
      got = regex.exec(text, new RegexWork(stepsMax), groups) !== null
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'query_limit', hint: expect.stringContaining('simpler pattern') as string })
      got = messageOf(thrown)
    }
    expect(performance.now() - startedMs).toBeLessThan(1500)
    if (typeof outcome === 'string') expect(got).toContain(outcome)
    else expect(got).toBe(outcome)
  })

  test('groups beyond those wanted are left out', () => {
    const regex = compileAnchoredRegex('(a)(?P<second>b)(c)')
    expect([...regex.exec('abc', undefined, 1)!]).toEqual(['abc', 'a'])
    expect(['x', '$1', '$second', '${3}-$1', '$$9', '$12'].map((template) => largestGroup(template, regex))).toEqual([
      0, 1, 2, 3, 0, 12,
    ])
    expect(largestGroup('$constructor', regex)).toBe(0)
    expect(expandGroups('$constructor', regex.exec('abc')!)).toBe('')
    expect(expandGroups('$second$3', regex.exec('abc', undefined, 2)!)).toBe('b')
  })

  test('limits may be raised', () => {
    const pattern = `(a.)${'b'.repeat(10_000)}`
    const limits = { lengthMax: 20_000, instructionsMax: 20_000 }
    expect(() => compileAnchoredRegex(pattern)).toThrow('promql.regex-length-max is 10000')
    expect(compileAnchoredRegex(pattern, limits).test(`ax${'b'.repeat(10_000)}`)).toBe(true)
    expect(() => compileAnchoredRegex(pattern)).toThrow('promql.regex-length-max is 10000')
  })
})
