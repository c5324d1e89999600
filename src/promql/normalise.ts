import type { Scan, Token } from './scan.ts'

/**
 * Rewrites the text for the Lezer grammar at the same length, so that offsets stay valid; names and values are read
 * from the original text. The grammar has no trailing commas in calls, accepts fewer notations of numbers (`2.`,
 * `0x_1F`) than Prometheus and one case of duration words, treats `offset` only as the modifier, has `min_of` and
 * `max_of` only in durations, a stack that a long chain of `^` would fill, and a node for each comment.
 */
export function normalise(text: string, { tokens }: Scan): string {
  let normal = ''
  let copied = 0
  const replace = (from: number, to: number, replacement: string): void => {
    normal += text.slice(copied, from) + replacement
    copied = to
  }
  const begins = operandTokens(tokens)
  const isInDuration = durationTokens(tokens, begins)
  let end = 0
  const blankComments = (to: number): void => {
    if (text.slice(end, to).includes('#')) replace(end, to, ' '.repeat(to - end))
  }
  tokens.forEach((token, i) => {
    blankComments(token.from)
    end = token.to
    const replacement = replacementOf(token, tokens[i - 1], tokens[i + 1], begins[i]!, isInDuration[i]!)
    if (replacement !== undefined) replace(token.from, token.to, replacement)
  })
  blankComments(text.length)
  return normal + text.slice(copied)
}

function replacementOf(
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
  beginsOperand: boolean,
  isInDuration: boolean,
): string | undefined {
  const { kind, text } = token
  if ((kind === 'number' && /^[0-9.]/.test(text)) || kind === 'duration') return '1'.repeat(text.length)
  if (text === ',' && after?.text === ')' && !'(,'.includes(before?.text ?? ',')) return ' '
  const word = text.toLowerCase()
  // `regroup` groups by precedence; operators that group to the right would fill the parser's stack.
  if (kind === 'operator' && text === '^' && !isInDuration) return '*'
  if (kind === 'preprocessor' && isInDuration) return word
  // Any function of six letters will do: its name and arguments are checked later.
  if (kind === 'preprocessor' && word.endsWith('_of') && after?.text === '(') return 'absent'
  if (kind === 'keyword' && word === 'offset' && beginsOperand) return 'metric'
  return undefined
}

const MATCHING_WORDS: ReadonlySet<string> = new Set([
  ...['bool', 'on', 'ignoring', 'group_left', 'group_right', 'fill', 'fill_left', 'fill_right'],
])

/** `fill` without parentheses is a metric name. */
function isMatchingWord(text: string, after: Token | undefined): boolean {
  const word = text.toLowerCase()
  return MATCHING_WORDS.has(word) && (!word.startsWith('fill') || after?.text === '(')
}

/** Which tokens start an operand of an operator, matching clauses after the operator excluded. */
function operandTokens(tokens: readonly Token[]): boolean[] {
  /** For each open parenthesis: whether it belongs to a matching clause. */
  const open: boolean[] = []
  let begins = true
  return tokens.map(({ kind, text }, i) => {
    const isHere = begins
    const before = tokens[i - 1]
    if (kind === 'punctuation' && text === '(') {
      open.push(before?.kind === 'keyword' && MATCHING_WORDS.has(before.text.toLowerCase()))
      begins = open.at(-1) === false
    } else if (kind === 'punctuation' && text === ')') begins = open.pop() === true
    else if (kind === 'keyword') begins = isHere && isMatchingWord(text, tokens[i + 1])
    else begins = kind === 'operator' || (kind === 'punctuation' && text === ',' && open.at(-1) === false)
    return isHere
  })
}

/** Which tokens are part of a duration: all in brackets, and after `offset` a sign, and a word or parentheses. */
function durationTokens(tokens: readonly Token[], begins: readonly boolean[]): boolean[] {
  const isIn: boolean[] = []
  let isInBrackets = false
  /** Number of open parentheses in the duration of an offset; undefined outside of one. */
  let depth: number | undefined
  tokens.forEach((token, i) => {
    const { kind, text } = token
    if (kind === 'punctuation' && text === ']') isInBrackets = false
    if (kind === 'keyword' && text.toLowerCase() === 'offset' && !begins[i]!) {
      depth = 0
      isIn.push(false)
      return
    }
    isIn.push(isInBrackets || depth !== undefined)
    if (kind === 'punctuation' && text === '[') isInBrackets = true
    if (depth === undefined) return
    if (text === '(') depth++
    else if (text === ')') depth--
    const isSign = kind === 'operator' && (text === '+' || text === '-')
    const isCall = kind === 'preprocessor' && tokens[i + 1]?.text === '('
    if (depth <= 0 && !isSign && !isCall) depth = undefined
  })
  return isIn
}
