import { FleetError } from '../../../src/base/errors.ts'
import { compileAnchoredRegex, escapeRegex, expandGroups, RegexError } from '../../../src/model/regex.ts'
import { RegexWork } from '../../../src/model/regex-limits.ts'
import { pick, type Random } from '../mutate.ts'
import { NOTHING_TO_CLOSE, oneByOne, simplerText, type Target } from '../target.ts'

interface RegexInput {
  readonly pattern: string
  readonly text: string
}

/** A text of few letters, so that patterns match it and nearly match it. */
function textOf(random: Random): string {
  const length = random(20) === 0 ? random(4000) : random(12)
  let text = ''
  for (let i = 0; i < length; i++) text += pick(random, ['a', 'a', 'b', 'c', '-', '\n', 'é', '😀', 'A', '0'])
  return text
}

const ATOMS = [
  'a',
  'b',
  'c',
  '.',
  '\\d',
  '\\w',
  '[ab]',
  '[^a]',
  '[a-c]',
  '\\.',
  'é',
  '😀',
  '\\pL',
  '(?i:A)',
  '\\b',
  '^',
  '$',
]
const REPEATS = ['*', '+', '?', '*?', '+?', '{2}', '{1,3}', '{0,}', '{30}', '{,2}']
const ODD = ['(', ')', '[', ']', '{', '}', '\\', '|', '*', '(?', '(?P<n>', '[[:alpha:]]', '\\Q', '\\E', '(?=a)', '\\1']

function patternOf(random: Random, depth: number): string {
  switch (depth <= 0 ? 0 : random(8)) {
    case 1:
      return `(${patternOf(random, depth - 1)})${pick(random, ['', ...REPEATS])}`
    case 2:
      return `(?:${patternOf(random, depth - 1)}|${patternOf(random, depth - 1)})${pick(random, ['', ...REPEATS])}`
    case 3:
    case 4:
      return patternOf(random, depth - 1) + patternOf(random, depth - 1)
    case 5:
      return `${patternOf(random, depth - 1)}|${patternOf(random, depth - 1)}`
    case 6:
      return pick(random, ATOMS) + pick(random, REPEATS)
    case 7:
      return `(?P<n${random(3)}>${patternOf(random, depth - 1)})`
    default:
      return pick(random, ATOMS)
  }
}

/** Patterns that only both engines know, and that JavaScript's can run: no repetition of a repetition. */
const PLAIN = /^(?!.*[*+?}]\)?[*+?{])(?:[a-c|.]|\[\^?[a-c-]+\]|\((?:\?:)?|\)|[*+?])*$/s

const regex: Target<RegexInput> = {
  name: 'regex',
  claim: 'A pattern is refused, or tests a text within its steps; plain patterns match as in JavaScript.',
  inputs: { suite: 1000, long: 700_000 },
  shares: { matches: 0.05, differs: 0.1, refused: 0.02 },
  open: () => ({
    make: (random) => {
      const text = textOf(random)
      let pattern = random(20) === 0 ? escapeRegex(text) : patternOf(random, random(6))
      if (random(6) === 0) {
        const at = random(pattern.length + 1)
        pattern = pattern.slice(0, at) + pick(random, ODD) + pattern.slice(at + random(2))
      }
      return { pattern, text }
    },
    check: oneByOne(({ pattern, text }) => {
      let compiled: ReturnType<typeof compileAnchoredRegex>
      try {
        compiled = compileAnchoredRegex(pattern)
      } catch (thrown) {
        if (thrown instanceof RegexError) return 'refused'
        throw thrown
      }
      let isMatch: boolean
      try {
        isMatch = compiled.test(text, new RegexWork(1_000_000))
        const match = compiled.exec(text, new RegexWork(20_000_000))
        if ((match !== null) !== isMatch) throw new Error(`test says ${isMatch}, exec says ${match !== null}`)
        if (match !== null) expandGroups('$1 ${n0} $n1 $$', match)
      } catch (thrown) {
        if (thrown instanceof FleetError && thrown.code === 'query_limit') return 'beyond the limit'
        throw thrown
      }
      if (pattern === escapeRegex(text) && !isMatch) throw new Error('an escaped text does not match itself')
      if (text.length < 12 && PLAIN.test(pattern)) {
        const want = new RegExp(`^(?:${pattern})$`, 'su').test(text)
        if (want !== isMatch) throw new Error(`got ${isMatch}, want ${want}`)
      }
      return isMatch ? 'matches' : 'differs'
    }),
    simpler: function* ({ pattern, text }) {
      for (const simpler of simplerText(pattern)) yield { pattern: simpler, text }
      for (const simpler of simplerText(text)) yield { pattern, text: simpler }
    },
    show: (input) => JSON.stringify(input),
    ...NOTHING_TO_CLOSE,
  }),
}

export const REGEX = [regex]
