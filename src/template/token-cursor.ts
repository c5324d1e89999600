/** A position in a template's tokens, with the nesting depth. */
import { TemplateSyntaxError, lexTemplate, type Token, type TokenKind } from './lexer.ts'

/** Depth of nested blocks and parentheses. */
const DEPTH_MAX = 100

export class TokenCursor {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  /** Throws `TemplateSyntaxError`. */
  constructor(template: string) {
    this.#tokens = lexTemplate(template)
  }

  get depth(): number {
    return this.#depth
  }

  /** The previous token. */
  get last(): Token {
    return this.#tokens[this.#at - 1]!
  }

  /** For a return with `goTo`. */
  get place(): number {
    return this.#at
  }

  goTo(place: number): void {
    this.#at = place
  }

  peek(): Token {
    return this.#tokens[this.#at]!
  }

  next(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.#at++
    return token
  }

  skipSpace(): void {
    while (this.peek().kind === 'space') this.#at++
  }

  /** Reads the required `}}`. */
  close(where: string): void {
    this.skipSpace()
    const token = this.next()
    if (token.kind !== 'close') throw this.unexpected(token, where)
  }

  /** One level deeper; `token` is the position of the error when that is too deep. */
  enter(token: Token): void {
    if (++this.#depth > DEPTH_MAX) {
      throw new TemplateSyntaxError(`nested deeper than ${DEPTH_MAX}`, token.from, token.to)
    }
  }

  leave(): void {
    this.#depth--
  }

  unexpected(token: Token, where: string): TemplateSyntaxError {
    const names: Partial<Record<TokenKind, string>> = { close: '}}', end: 'end of template' }
    const shown = names[token.kind] ?? token.text
    return new TemplateSyntaxError(`unexpected "${shown}" in ${where}`, token.from, token.to)
  }
}
