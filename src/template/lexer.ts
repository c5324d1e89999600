/**
 * Splits a template into text and the tokens of its actions (Go text/template, as in Prometheus). Trim markers and
 * comments are handled here and do not reach the parser.
 */
import { GO_ESCAPES } from '../base/go-quote.ts'

export interface Token {
  readonly kind: TokenKind
  /** As written; `text` tokens are trimmed, `string` and `char` tokens have their value. */
  readonly text: string
  /** Offsets into the template, `to` exclusive. */
  readonly from: number
  readonly to: number
}

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'field'
  | 'variable'
  | 'name'
  | 'number'
  | 'string'
  | 'char'
  | 'dot'
  | 'pipe'
  | 'declare'
  | 'assign'
  | 'comma'
  | 'left'
  | 'right'
  | 'end'

/** A syntax error. Offsets are into the template. */
export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError'
  readonly from: number
  readonly to: number
  readonly help: string | undefined

  constructor(message: string, from: number, to: number, help?: string) {
    super(message)
    this.from = from
    this.to = Math.max(to, from + 1)
    this.help = help
  }
}

const PUNCTUATION: readonly (readonly [string, TokenKind])[] = [
  [':=', 'declare'],
  ['=', 'assign'],
  ['|', 'pipe'],
  [',', 'comma'],
  ['(', 'left'],
  [')', 'right'],
]

const WORD = /[\p{L}\p{Nd}_]/u
const PATTERNS: readonly (readonly [RegExp, TokenKind])[] = [
  [/\$[\p{L}\p{Nd}_]*/uy, 'variable'],
  [/\.[\p{L}_][\p{L}\p{Nd}_]*/uy, 'field'],
  [/[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y, 'number'],
  [/[\p{L}_][\p{L}\p{Nd}_]*/uy, 'name'],
]

/** Throws `TemplateSyntaxError`. */
export function lexTemplate(template: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  let trimsNext = false
  while (at <= template.length) {
    const open = template.indexOf('{{', at)
    const end = open === -1 ? template.length : open
    const opensTrimmed = open !== -1 && /^\{\{-[ \t\r\n]/.test(template.slice(open, open + 4))
    let text = template.slice(at, end)
    if (trimsNext) text = text.replace(/^[ \t\r\n]+/, '')
    if (opensTrimmed) text = text.replace(/[ \t\r\n]+$/, '')
    if (text !== '') tokens.push({ kind: 'text', text, from: at, to: end })
    if (open === -1) break
    const inside = open + (opensTrimmed ? 3 : 2)
    const comment = skipComment(template, inside, open)
    if (comment === undefined) {
      tokens.push({ kind: 'open', text: '{{', from: open, to: open + 2 })
      ;({ at, trimsNext } = lexAction(template, inside, open, tokens))
    } else {
      ;({ at, trimsNext } = comment)
    }
  }
  tokens.push({ kind: 'end', text: '', from: template.length, to: template.length })
  return tokens
}

interface Step {
  readonly at: number
  readonly trimsNext: boolean
}

function skipComment(template: string, inside: number, open: number): Step | undefined {
  const start = /^[ \t\r\n]*/.exec(template.slice(inside))![0].length + inside
  // Go accepts a comment only directly after the opening, or after its trim marker.
  if (!template.startsWith('/*', inside) && !(template[open + 2] === '-' && template.startsWith('/*', start))) {
    return undefined
  }
  const end = template.indexOf('*/', start + 2)
  if (end === -1) throw new TemplateSyntaxError('unclosed comment', open, template.length)
  const close = /^([ \t\r\n]+-)?\}\}/.exec(template.slice(end + 2, end + 200))
  if (close === null) throw new TemplateSyntaxError('comment ends before closing delimiter', open, end + 2)
  return { at: end + 2 + close[0].length, trimsNext: close[1] !== undefined }
}

function lexAction(template: string, inside: number, open: number, tokens: Token[]): Step {
  let at = inside
  for (;;) {
    const close = /^(?:[ \t\r\n]+(-))?\}\}/.exec(template.slice(at, at + 200))
    if (close !== null) {
      const to = at + close[0].length
      tokens.push({ kind: 'close', text: '}}', from: to - 2, to })
      return { at: to, trimsNext: close[1] !== undefined }
    }
    if (at >= template.length)
      throw new TemplateSyntaxError('unclosed action', open, template.length, 'close it with }}')
    const token = lexToken(template, at, open)
    tokens.push(token)
    at = token.to
  }
}

function lexToken(template: string, at: number, open: number): Token {
  const char = template[at]!
  const space = /^[ \t\r\n]+(?!-\}\})/.exec(template.slice(at))
  if (space !== null) return { kind: 'space', text: ' ', from: at, to: at + space[0].length }
  if (char === '"' || char === '`' || char === "'") return lexQuoted(template, at, char)
  if (char === '.' && !/^[\p{L}\p{Nd}_]/u.test(template.slice(at + 1, at + 3))) {
    return { kind: 'dot', text: '.', from: at, to: at + 1 }
  }
  for (const [text, kind] of PUNCTUATION) {
    if (template.startsWith(text, at)) return { kind, text, from: at, to: at + text.length }
  }
  for (const [pattern, kind] of PATTERNS) {
    pattern.lastIndex = at
    const text = pattern.exec(template)?.[0]
    if (text === undefined || text === '') continue
    const to = at + text.length
    if (kind === 'number' && WORD.test(template[to] ?? '')) {
      throw new TemplateSyntaxError(`bad number syntax: "${template.slice(at, to + 1)}"`, at, to + 1)
    }
    return { kind, text, from: at, to }
  }
  const point = String.fromCodePoint(template.codePointAt(at)!)
  throw new TemplateSyntaxError(
    `unexpected ${JSON.stringify(point)} in action`,
    at,
    at + point.length,
    hintFor(char, open),
  )
}

function hintFor(char: string, open: number): string | undefined {
  if (char === '{') return `the action that starts at offset ${open} is not closed`
  if (char === '%' || char === '/' || char === '*' || char === '+' || char === '-') {
    return 'templates have no arithmetic: compute it in the expression'
  }
  if (char === '>' || char === '<' || char === '!' || char === '&')
    return 'compare with the functions eq, ne, lt, le, gt, ge'
  return undefined
}

function lexQuoted(template: string, at: number, quote: string): Token {
  if (quote === '`') {
    const end = template.indexOf('`', at + 1)
    if (end === -1) throw new TemplateSyntaxError('unterminated raw quoted string', at, template.length)
    return { kind: 'string', text: template.slice(at + 1, end).replaceAll('\r', ''), from: at, to: end + 1 }
  }
  let text = ''
  let i = at + 1
  const what = quote === '"' ? 'quoted string' : 'character constant'
  while (template[i] !== quote) {
    const char = template[i]
    if (char === undefined || char === '\n') throw new TemplateSyntaxError(`unterminated ${what}`, at, i)
    if (char === '\\') {
      const escape = readEscape(template, i, quote)
      text += escape.text
      i = escape.to
    } else {
      text += char
      i++
    }
  }
  if (quote === "'" && Array.from(text).length !== 1) {
    throw new TemplateSyntaxError(
      `malformed character constant: ${template.slice(at, i + 1)}`,
      at,
      i + 1,
      'strings have double quotes',
    )
  }
  return { kind: quote === '"' ? 'string' : 'char', text, from: at, to: i + 1 }
}

function readEscape(template: string, at: number, quote: string): { readonly text: string; readonly to: number } {
  const rest = template.slice(at + 1, at + 10)
  const simple = GO_ESCAPES.get(rest[0] ?? '') ?? (rest.startsWith(quote) ? quote : undefined)
  if (simple !== undefined) return { text: simple, to: at + 2 }
  const numeric = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3}))/.exec(rest)
  const octal = numeric?.[4]
  const point = octal === undefined ? parseInt(numeric?.slice(1).join('') ?? '', 16) : parseInt(octal, 8)
  if (numeric === null || point > 0x10ffff || (octal !== undefined && point > 0xff)) {
    throw new TemplateSyntaxError(`bad escape in string: \\${rest[0] ?? ''}`, at, at + 2)
  }
  return { text: String.fromCodePoint(point), to: at + 1 + numeric[0].length }
}
