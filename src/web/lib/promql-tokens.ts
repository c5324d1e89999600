/** An expression as coloured tokens. Not a parser: text that fits no token stays plain. Pure. */
export interface PromqlToken {
  readonly kind: 'plain' | 'keyword' | 'function' | 'metric' | 'label' | 'string' | 'number' | 'comment'
  readonly text: string
}

const KEYWORDS = new Set(
  'and or unless by without on ignoring group_left group_right bool offset start end atan2 fill fill_left fill_right'.split(
    ' ',
  ),
)

const PIECE =
  /(?<comment>#[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<number>(?<![\w:])(?:0x[\da-f]+|(?:\d+(?:ms|[smhdwy]))+|\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)(?!\w))|(?<word>[A-Za-z_:][\w:]*)|(?<sign>[^])/giu

export function promqlTokens(expr: string): PromqlToken[] {
  const tokens: PromqlToken[] = []
  let braces = 0
  let isList = false
  const add = (kind: PromqlToken['kind'], text: string): void => {
    const before = tokens.at(-1)
    if (kind === 'plain' && before?.kind === 'plain') tokens[tokens.length - 1] = { kind, text: before.text + text }
    else tokens.push({ kind, text })
  }
  for (const match of expr.matchAll(PIECE)) {
    const [text] = match
    const { comment, string, number, word } = match.groups ?? {}
    if (comment !== undefined) add('comment', text)
    else if (string !== undefined) add('string', text)
    else if (number !== undefined) add('number', text)
    else if (word !== undefined) {
      const next = expr.slice(match.index + text.length)
      if (braces > 0) add('label', text)
      else if (KEYWORDS.has(text.toLowerCase())) {
        add('keyword', text)
        // The labels of `by (…)` and of its kin.
        isList = /^\s*\(/.test(next) && !/^(start|end|and|or|unless)$/i.test(text)
      } else if (isList) add('label', text)
      else if (/^\s*\(/.test(next) || /^\s+(?:by|without)\s*\(/i.test(next)) add('function', text)
      else add(/^(inf|nan)$/i.test(text) ? 'number' : 'metric', text)
    } else {
      if (text === '{') braces++
      else if (text === '}') braces = Math.max(0, braces - 1)
      else if (text === ')') isList = false
      add('plain', text)
    }
  }
  return tokens
}
