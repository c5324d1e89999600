import type { Diagnostic } from '../model/diagnostic.ts'
import { DURATION_START } from './build-duration.ts'
import { UNSUPPORTED_FUNCTIONS } from './functions.ts'
import { quoteGo } from '../base/go-quote.ts'
import { describeToken, type Scan, type Token } from './scan.ts'

/**
 * The first syntax error of a text, in Prometheus' words, or `undefined` when there is none. `stuckAt` is the offset at
 * which the grammar failed. An error of the scanner counts only if the grammar accepts everything before it.
 */
export function syntaxErrorOf(scanned: Scan, stuckAt: number | undefined, text: string): Diagnostic | undefined {
  const { tokens, error } = scanned
  if (stuckAt !== undefined) {
    const index = tokens.findIndex((token) => token.to > stuckAt)
    if (index >= 0) return unexpected(tokens, index, text)
  }
  if (error !== undefined) return { severity: 'error', ...error }
  if (tokens.length === 0) return { severity: 'error', message: 'no expression found in input', from: 0, to: 0 }
  return stuckAt === undefined ? undefined : unexpected(tokens, tokens.length, text)
}

function unexpected(tokens: readonly Token[], index: number, text: string): Diagnostic {
  const token = tokens[index]
  const before = tokens[index - 1]
  const from = token?.from ?? text.length
  const to = token?.to ?? text.length
  if (token?.text === '(' && before?.kind === 'identifier') return unknownFunction(before)
  if (before?.kind === 'identifier' && UNSUPPORTED_FUNCTIONS.has(before.text)) return unknownFunction(before)
  const { context, expected } = expectationAt(tokens, index)
  const where = context === '' ? '' : ` in ${context}`
  const wanted = expected === '' ? '' : `, expected ${expected}`
  return { severity: 'error', message: `unexpected ${describeToken(token)}${where}${wanted}`, from, to }
}

/** The error for a call of an unknown function. */
export function unknownFunction({ text, from, to }: Omit<Token, 'kind'>): Diagnostic {
  const name = quoteGo(text)
  const reason = UNSUPPORTED_FUNCTIONS.get(text)
  const message =
    reason === undefined ? `unknown function with name ${name}` : `function ${name} is not supported: ${reason}`
  return { severity: 'error', message, from, to }
}

const GROUPING_WORDS = new Set(['by', 'without', 'on', 'ignoring'])
const OPTIONAL_GROUPING_WORDS = new Set(['group_left', 'group_right'])

/** What the grammar was parsing at token `index`, and what would be valid. */
function expectationAt(tokens: readonly Token[], index: number): { context: string; expected: string } {
  const before = tokens[index - 1]
  const word = before?.text.toLowerCase() ?? ''
  const bracket = bracketBefore(tokens, index)
  if (bracket >= 0) return expectedInBrackets(tokens, bracket, index)
  if (before?.kind === 'keyword' && GROUPING_WORDS.has(word)) return { context: 'grouping opts', expected: '"("' }
  if (isInOffset(tokens, index)) return { context: 'offset', expected: DURATION_START }
  if (isAfterAt(tokens, index)) return { context: '@', expected: 'timestamp' }
  if (before?.kind === 'aggregator' && tokens[index]?.kind !== 'operator')
    return { context: 'aggregation', expected: '' }
  const opening = openingBefore(tokens, index)
  const opener = opening < 0 ? undefined : tokens[opening]
  if (opener?.text === '{') return { context: 'label matching', expected: expectedInBraces(tokens, index) }
  const head = opening < 1 ? undefined : tokens[opening - 1]
  const headWord = head?.text.toLowerCase() ?? ''
  if (head?.kind === 'keyword' && (GROUPING_WORDS.has(headWord) || OPTIONAL_GROUPING_WORDS.has(headWord))) {
    const isStart = before?.text === '(' || before?.text === ','
    return { context: 'grouping opts', expected: isStart ? 'label' : '"," or ")"' }
  }
  return { context: '', expected: '' }
}

function expectedInBraces(tokens: readonly Token[], index: number): string {
  const before = tokens[index - 1]!
  if (before.kind === 'operator') return 'string'
  if (before.kind === 'identifier') return 'label matching operator'
  return before.kind === 'string' ? '"," or "}"' : 'identifier or "}"'
}

/** Whether a time after `@` is incomplete. */
function isAfterAt(tokens: readonly Token[], index: number): boolean {
  let at = index - 1
  while (at > 0 && (tokens[at]!.kind === 'preprocessor' || /^[-+(]$/.test(tokens[at]!.text))) at--
  return tokens[at]?.kind === 'operator' && tokens[at]!.text === '@'
}

/** Whether the duration of an `offset` is incomplete. */
function isInOffset(tokens: readonly Token[], index: number): boolean {
  const isPart = ({ kind, text }: Token): boolean =>
    kind === 'preprocessor' || kind === 'operator' || kind === 'number' || kind === 'duration' || '(),'.includes(text)
  let at = index - 1
  let open = 0
  for (; at >= 0 && isPart(tokens[at]!); at--)
    open += Number(tokens[at]!.text === '(') - Number(tokens[at]!.text === ')')
  const word = tokens[at]
  if (word?.kind !== 'keyword' || word.text.toLowerCase() !== 'offset') return false
  const last = tokens[index - 1]!
  return open > 0 || last === word || last.kind === 'preprocessor' || (last.kind === 'operator' && at === index - 2)
}

/** The open square bracket at token `index`; -1 when none is open. */
function bracketBefore(tokens: readonly Token[], index: number): number {
  const isBracket = ({ kind, text }: Token): boolean => kind === 'punctuation' && (text === '[' || text === ']')
  const at = tokens.slice(0, index).findLastIndex(isBracket)
  return at >= 0 && tokens[at]!.text === '[' ? at : -1
}

/** Prometheus' parser loses its context inside a duration, so the message depends only on complete durations. */
function expectedInBrackets(
  tokens: readonly Token[],
  bracket: number,
  index: number,
): { context: string; expected: string } {
  const inside = tokens.slice(bracket + 1, index)
  const colon = inside.findIndex(({ text }) => text === ':')
  const last = inside.slice(colon + 1)
  const open = last.filter(({ text }) => text === '(').length - last.filter(({ text }) => text === ')').length
  const end = last.at(-1)
  const isWhole = open === 0 && (end?.text === ')' || end?.kind === 'number' || end?.kind === 'duration')
  if (colon >= 0) {
    const start = 'number, duration, step(), range(), or "]"'
    return { context: 'subquery selector', expected: isWhole ? '"]"' : start }
  }
  return isWhole
    ? { context: 'subquery or range', expected: '":" or "]"' }
    : { context: 'subquery or range selector', expected: DURATION_START }
}

/** The open bracket at token `index`; -1 when none is open. */
function openingBefore(tokens: readonly Token[], index: number): number {
  let depth = 0
  for (let at = index - 1; at >= 0; at--) {
    const token = tokens[at]!
    if (token.kind !== 'punctuation') continue
    if (')]}'.includes(token.text)) depth++
    else if ('([{'.includes(token.text) && depth-- === 0) return at
  }
  return -1
}
