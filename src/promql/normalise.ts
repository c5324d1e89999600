import type { Scan, Token } from './scan.ts'

/**
 * The text as the Lezer grammar can read it, of the same length, so that offsets stay; names and values are read from the
 * real text. The grammar has no trailing commas in calls, knows fewer spellings of numbers (`2.`, `0x_1F`) than
 * Prometheus and one case of the words of durations, takes `offset` for nothing but the modifier, and has `min_of` and
 * `max_of` in durations only.
 */
export function normalise(text: string, { tokens }: Scan): string {
  let normal = ''
  let copied = 0
  const isInDuration = durationTokens(tokens)
  tokens.forEach((token, i) => {
    const replacement = replacementOf(token, tokens[i - 1], tokens[i + 1], isInDuration[i]!)
    if (replacement === undefined) return
    normal += text.slice(copied, token.from) + replacement
    copied = token.to
  })
  return normal + text.slice(copied)
}

function replacementOf(
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
  isInDuration: boolean,
): string | undefined {
  const { kind, text } = token
  if ((kind === 'number' && /^[0-9.]/.test(text)) || kind === 'duration') return '1'.repeat(text.length)
  if (text === ',' && after?.text === ')' && !'(,'.includes(before?.text ?? ',')) return ' '
  const word = text.toLowerCase()
  if (kind === 'preprocessor' && isInDuration) return word
  // Any function of six letters does: its name and its arguments are checked by others.
  if (kind === 'preprocessor' && word.endsWith('_of') && after?.text === '(') return 'absent'
  if (kind === 'keyword' && word === 'offset' && beginsOperand(before)) return 'metric'
  return undefined
}

/** Whether a token after this one is what an operator works on. */
function beginsOperand(before: Token | undefined): boolean {
  if (before === undefined || before.kind === 'operator') return true
  if (before.kind === 'punctuation') return before.text === '(' || before.text === ','
  return before.kind === 'keyword' && before.text.toLowerCase() === 'bool'
}

/** Which tokens are part of a duration: all in brackets, and after `offset` a sign, and a word or parentheses. */
function durationTokens(tokens: readonly Token[]): boolean[] {
  const isIn: boolean[] = []
  let isInBrackets = false
  /** Parentheses open in the duration of an offset; undefined: outside of one. */
  let depth: number | undefined
  tokens.forEach((token, i) => {
    const { kind, text } = token
    if (kind === 'punctuation' && text === ']') isInBrackets = false
    if (kind === 'keyword' && text.toLowerCase() === 'offset' && !beginsOperand(tokens[i - 1])) {
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
