import { GO_ESCAPES, quoteGo } from '../base/go-quote.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { AGGREGATE_OPS } from './ast.ts'
import type { ParseLimits } from './parse-options.ts'
import { refuse } from './promql-error.ts'

/**
 * The tokens of PromQL. The tree comes from the Lezer grammar, which recovers from errors; this scanner makes exact
 * error messages possible: the first unexpected token, unclosed brackets, invalid strings. The wording follows
 * Prometheus' lexer.
 */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly from: number
  readonly to: number
}

export type TokenKind =
  | 'identifier'
  | 'metric identifier'
  | 'string'
  | 'number'
  | 'duration'
  | 'keyword'
  | 'operator'
  | 'aggregator'
  | 'preprocessor'
  | 'punctuation'

export interface Scan {
  readonly tokens: readonly Token[]
  /** The first invalid token; scanning stops there. */
  readonly error: Pick<Diagnostic, 'message' | 'from' | 'to'> | undefined
}

/** Words inside brackets. */
const DURATION_WORDS = ['step', 'range', 'min_of', 'max_of']

const KEYWORDS: ReadonlyMap<string, TokenKind> = new Map([
  ...kind('operator', ['and', 'or', 'unless', 'atan2']),
  ...kind('aggregator', Object.keys(AGGREGATE_OPS)),
  ...kind('keyword', ['offset', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'bool']),
  ...kind('keyword', ['smoothed', 'anchored', 'fill', 'fill_left', 'fill_right']),
  ...kind('preprocessor', ['start', 'end', ...DURATION_WORDS]),
  ...kind('number', ['inf', 'nan']),
])

function kind(of: TokenKind, words: readonly string[]): (readonly [string, TokenKind])[] {
  return words.map((word) => [word, of])
}

const SPACE = /[ \t\n\r]+/y
const COMMENT = /#[^\n\r]*/y
const WORD = /[A-Za-z_:][A-Za-z0-9_:]*/y
const LABEL = /[A-Za-z_][A-Za-z0-9_]*/y
const OPERATOR = /==|!=|<=|>=|<\/|>\/|<|>|[-+*/%^@]/y
const MATCH_OPERATOR = /=~|!~|!=|=/y
const NUMBER =
  /0[xX](?:_?[0-9a-fA-F])+|(?:\d(?:_?\d)*(?:\.\d(?:_?\d)*|\.(?![.\d_]))?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?/y
/** Units after a number; the parser of the value checks their order. */
const UNITS = /[smhdwy]s?(?:\d+[smhdw]s?)*/y

/**
 * Splits `text` into tokens, without comments and white space. Throws `PromqlError` at the first token beyond a limit: a
 * text of megabytes takes seconds to parse.
 */
export function scan(text: string, limits: ParseLimits): Scan {
  const scanner = new Scanner(text, limits)
  scanner.run()
  return scanner
}

class Scanner {
  readonly #text: string
  readonly #limits: ParseLimits
  readonly tokens: Token[] = []
  error: Pick<Diagnostic, 'message' | 'from' | 'to'> | undefined
  #at = 0
  #parens = 0
  /** Operators of each open parenthesis, and those of the deepest closed parentheses in it. */
  readonly #groups = [{ operators: 0, inner: 0 }]
  /** Operators of all open parentheses but the innermost. */
  #outer = 0
  #isInBraces = false
  #isInBrackets = false

  constructor(text: string, limits: ParseLimits) {
    this.#text = text
    this.#limits = limits
  }

  run(): void {
    while (this.error === undefined) {
      this.#match(SPACE)
      if (this.#match(COMMENT) !== undefined) continue
      if (this.#at >= this.#text.length) break
      if (this.#isInBraces) this.#inBraces()
      else this.#statement()
    }
    if (this.error !== undefined) return
    const end = this.#text.length
    if (this.#isInBraces) this.#fail('unexpected end of input inside braces', end)
    else if (this.#parens > 0) this.#fail('unclosed left parenthesis', end)
    else if (this.#isInBrackets) this.#fail('unexpected end of input in duration expression', end)
  }

  #statement(): void {
    const char = this.#text[this.#at]!
    if (char === '"' || char === "'" || char === '`') {
      this.#string(char)
    } else if (/[0-9]/.test(char) || /^\.[0-9]/.test(this.#text.slice(this.#at, this.#at + 2))) {
      this.#number()
    } else if (this.#isInBrackets && char === ':') {
      this.#colon()
    } else if (/[A-Za-z_:]/.test(char)) {
      this.#word()
    } else if ('(){}[],'.includes(char)) {
      this.#bracket(char)
    } else {
      this.#operator(char)
    }
  }

  /** Errors are reported after the colon, as in Prometheus' lexer. */
  #colon(): void {
    const bracket = this.tokens.findLastIndex(({ kind, text }) => kind === 'punctuation' && text === '[')
    const inside = this.tokens.slice(bracket + 1)
    const after = this.#at + 1
    if (inside.every(({ kind }) => kind === 'operator' || kind === 'punctuation')) {
      this.#fail('unexpected colon before duration in duration expression', after)
    } else if (inside.some(({ text }) => text === ':')) {
      this.#fail('unexpected repeated colon in duration expression', after)
    } else this.#punctuation()
  }

  #word(): void {
    const from = this.#at
    if (this.#isInBrackets) {
      const word = this.#match(LABEL)!
      if (!DURATION_WORDS.includes(word.toLowerCase())) {
        this.#at = from
        this.#fail(`unexpected character in duration expression: '${word[0]!}'`, from, from + 1)
        return
      }
      this.#token('preprocessor', from)
      return
    }
    const word = this.#match(WORD)!
    const kind = KEYWORDS.get(word.toLowerCase()) ?? (word.includes(':') ? 'metric identifier' : 'identifier')
    this.#token(kind, from)
  }

  #bracket(char: string): void {
    if (char === '(') this.#parens++
    if (char === ')' && --this.#parens < 0) this.#fail("unexpected right parenthesis ')'", this.#at, this.#at + 1)
    if (char === '[' && this.#isInBrackets) this.#fail("unexpected left bracket '['", this.#at, this.#at + 1)
    if (char === ']' && !this.#isInBrackets) this.#fail("unexpected right bracket ']'", this.#at, this.#at + 1)
    if (char === '}') this.#fail("unexpected character: '}'", this.#at, this.#at + 1)
    if (this.error !== undefined) return
    if (char === '{') this.#isInBraces = true
    if (char === '[') this.#isInBrackets = true
    if (char === ']') this.#isInBrackets = false
    this.#punctuation()
  }

  #operator(char: string): void {
    const from = this.#at
    const next = this.#text[from + 1]
    if (char === '!' && next !== '=') {
      this.#fail(`unexpected character after '!': ${quoteChar(next)}`, from, from + 1)
    } else if (char === '=' && next === '~') {
      this.#fail(`unexpected character after '=': '~'`, from, from + 1)
    } else if (char === '=' && next !== '=') {
      this.#punctuation()
    } else {
      if (this.#match(OPERATOR) !== undefined) this.#token('operator', from)
      else this.#fail(`unexpected character: ${quoteChar(charAt(this.#text, from))}`, from, from + 1)
    }
  }

  #inBraces(): void {
    const from = this.#at
    const char = this.#text[from]!
    if (this.#match(LABEL) !== undefined) this.#token('identifier', from)
    else if (this.#match(MATCH_OPERATOR) !== undefined) this.#token('operator', from)
    else if (char === '"' || char === "'" || char === '`') {
      this.#string(char)
    } else if (char === '}') {
      this.#isInBraces = false
      this.#punctuation()
    } else if (char === ',') {
      this.#punctuation()
    } else if (char === '{') {
      this.#fail("unexpected left brace '{'", from, from + 1)
    } else if (char === '!') {
      this.#fail(`unexpected character after '!' inside braces: ${quoteChar(this.#text[from + 1])}`, from, from + 1)
    } else {
      this.#fail(`unexpected character inside braces: ${quoteChar(charAt(this.#text, from))}`, from, from + 1)
    }
  }

  #string(open: string): void {
    const from = this.#at
    for (let at = from + 1; at < this.#text.length; at++) {
      const char = this.#text[at]!
      if (char === open) {
        this.#at = at + 1
        this.#token('string', from)
        return
      }
      if (open === '`') continue
      if (char === '\n') break
      if (char !== '\\') continue
      const escape = escapeAt(this.#text, at + 1, open)
      if (typeof escape === 'string') {
        this.#fail(escape, from)
        return
      }
      at += escape
    }
    this.#fail(open === '`' ? 'unterminated raw string' : 'unterminated quoted string', from)
  }

  #number(): void {
    const from = this.#at
    this.#match(NUMBER)
    if (!isWordChar(this.#text[this.#at])) {
      this.#token('number', from)
      return
    }
    const units = this.#match(UNITS)
    if (units !== undefined && !isWordChar(this.#text[this.#at])) {
      this.#token('duration', from)
      return
    }
    const to = this.#at + 1
    this.#fail(`bad number or duration syntax: ${quoteGo(this.#text.slice(from, to))}`, from, to)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match === null) return undefined
    this.#at = pattern.lastIndex
    return match[0]
  }

  /** Adds the token that ends here. */
  #token(kind: TokenKind, from: number): void {
    const text = this.#text.slice(from, this.#at)
    this.tokens.push({ kind, text, from, to: this.#at })
    this.#countDepth(kind, text)
    const { tokensMax, depthMax, nestingMax } = this.#limits
    const { operators, inner } = this.#groups.at(-1)!
    if (this.tokens.length > tokensMax)
      this.#refuse(from, `expression has more than ${tokensMax} names, values, operators and brackets`, 'tokens')
    if (this.#outer + operators + inner > depthMax)
      this.#refuse(from, `expression is deeper than ${depthMax} operators`, 'depth')
    if (this.#groups.length - 1 > nestingMax)
      this.#refuse(from, `expression is nested deeper than ${nestingMax} parentheses`, 'nesting')
  }

  /** A chain of operators is as deep as it is long, whatever they are. */
  #countDepth(kind: TokenKind, text: string): void {
    const group = this.#groups.at(-1)!
    // A colon is that of a subquery.
    if ((kind === 'operator' && !this.#isInBraces) || (kind === 'punctuation' && text === ':')) group.operators++
    if (kind !== 'punctuation') return
    if (text === '(') {
      this.#outer += group.operators
      this.#groups.push({ operators: 0, inner: 0 })
    } else if (text === ')') {
      this.#groups.pop()
      const around = this.#groups.at(-1)!
      this.#outer -= around.operators
      around.inner = Math.max(around.inner, group.operators + group.inner)
    }
  }

  #refuse(from: number, message: string, limit: string): never {
    refuse(this.#text, from, this.#at, `${message} (promql.${limit}-max)`)
  }

  #punctuation(): void {
    this.#at++
    this.#token('punctuation', this.#at - 1)
  }

  #fail(message: string, from: number, to = this.#text.length): void {
    this.error ??= { message, from, to }
  }
}

/** The number of characters of the escape after a backslash, or the error. */
function escapeAt(text: string, at: number, open: string): number | string {
  const char = text[at]
  if (char === undefined) return 'escape sequence not terminated'
  if (GO_ESCAPES.has(char) || char === open) return 1
  const isOctal = /[0-7]/.test(char)
  const digits = isOctal ? 3 : char === 'x' ? 2 : char === 'u' ? 4 : char === 'U' ? 8 : 0
  if (digits === 0) return `unknown escape sequence ${describeRune(text.codePointAt(at)!)}`
  const from = isOctal ? at : at + 1
  for (let i = from; i < from + digits; i++) {
    if (i >= text.length) return 'escape sequence not terminated'
    const isDigit = (isOctal ? /[0-7]/ : /[0-9a-fA-F]/).test(text[i]!)
    if (!isDigit) return `illegal character ${describeRune(text.codePointAt(i)!)} in escape sequence`
  }
  const value = Number.parseInt(text.slice(from, from + digits), isOctal ? 8 : 16)
  const most = digits < 4 ? 255 : 0x10ffff
  if (value > most || (value >= 0xd800 && value < 0xe000)) {
    return `escape is invalid Unicode code point ${describeRune(value)}`
  }
  return from + digits - at
}

/** Formatted like Go's %#U. */
function describeRune(point: number): string {
  const hex = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
  const isShown =
    point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000) && !/[\p{C}\p{Z}]/u.test(String.fromCodePoint(point))
  return isShown || point === 0x20 ? `${hex} '${String.fromCodePoint(point)}'` : hex
}

function isWordChar(char: string | undefined): boolean {
  return char !== undefined && /[A-Za-z0-9_]/.test(char)
}

function charAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at)!)
}

function quoteChar(char: string | undefined): string {
  return char === undefined ? "'�'" : `'${char === "'" ? "\\'" : char}'`
}

/** A token in error messages: `<op:*>`, `identifier "x"`, `")"`. */
export function describeToken(token: Token | undefined): string {
  if (token === undefined) return 'end of input'
  switch (token.kind) {
    case 'operator':
      return `<op:${token.text}>`
    case 'keyword':
      return `<${token.text}>`
    case 'aggregator':
      return `<aggr:${token.text}>`
    case 'punctuation':
    case 'preprocessor':
      return quoteGo(token.text)
    case 'identifier':
    case 'metric identifier':
      return `${token.kind} ${quoteGo(token.text)}`
    case 'string':
    case 'number':
    case 'duration':
      return `${token.kind} ${token.text.length > 10 ? `${quoteGo(token.text.slice(0, 10))}...` : quoteGo(token.text)}`
  }
}
