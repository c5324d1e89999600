/** Parses the pipelines of a template: commands, operands, variables. An unknown function or variable is an error. */
import { didYouMean } from '../base/nearest.ts'
import type { Command, Operand, Pipe } from './ast.ts'
import { TemplateSyntaxError, type Token } from './lexer.ts'
import type { TokenCursor } from './token-cursor.ts'
import type { Value } from './value.ts'

export class PipeParser {
  readonly #cursor: TokenCursor
  readonly #functions: ReadonlySet<string>
  /** Variables in scope, the innermost last; the code that opens a block removes them at its end. */
  variables: string[]
  /** Functions used so far. */
  readonly used = new Set<string>()

  constructor(cursor: TokenCursor, functions: ReadonlySet<string>, variables: readonly string[]) {
    this.#cursor = cursor
    this.#functions = functions
    this.variables = ['$', ...variables]
  }

  /**
   * Parses up to and including the token that ends the pipeline. `where` is for messages. Throws `TemplateSyntaxError`.
   */
  pipe(ending: 'close' | 'right', variablesMax: number, where: string): Pipe {
    this.#cursor.skipSpace()
    const { variables, isAssignment } = this.#declarations(variablesMax)
    const commands: Command[] = []
    for (;;) {
      this.#cursor.skipSpace()
      const token = this.#cursor.peek()
      if (token.kind === ending) {
        this.#cursor.next()
        break
      }
      if (token.kind === 'close' || token.kind === 'right') throw this.#cursor.unexpected(token, where)
      commands.push(this.#command())
    }
    this.#checkCommands(commands, where)
    if (!isAssignment) this.variables.push(...variables)
    return { variables, isAssignment, commands }
  }

  #checkCommands(commands: readonly Command[], where: string): void {
    const here = this.#cursor.last
    if (commands.length === 0) throw new TemplateSyntaxError(`missing value for ${where}`, here.from, here.to)
    commands.slice(1).forEach((command, i) => {
      const first = command.operands[0]!
      const isExecutable = !(first.kind === 'literal' || (first.kind === 'dot' && first.fields.length === 0))
      if (!isExecutable) {
        throw new TemplateSyntaxError(`non executable command in pipeline stage ${i + 2}`, command.from, command.to)
      }
    })
  }

  /** `$x :=`, `$x =`, and in a range `$i, $x :=`. */
  #declarations(variablesMax: number): { readonly variables: readonly string[]; readonly isAssignment: boolean } {
    const start = this.#cursor.place
    const variables: string[] = []
    while (this.#cursor.peek().kind === 'variable') {
      const variable = this.#cursor.next()
      this.#cursor.skipSpace()
      const after = this.#cursor.next()
      variables.push(variable.text)
      if (after.kind === 'comma' && variables.length < variablesMax) {
        this.#cursor.skipSpace()
        continue
      }
      if (after.kind === 'comma') throw new TemplateSyntaxError('too many declarations', variable.from, after.to)
      if (after.kind === 'declare') return { variables, isAssignment: false }
      if (after.kind === 'assign') {
        for (const name of variables) this.#needVariable(name, variable)
        return { variables, isAssignment: true }
      }
      break
    }
    this.#cursor.goTo(start)
    return { variables: [], isAssignment: false }
  }

  #command(): Command {
    const { from } = this.#cursor.peek()
    const operands: Operand[] = []
    for (;;) {
      this.#cursor.skipSpace()
      if (['close', 'right', 'pipe'].includes(this.#cursor.peek().kind)) {
        // A pipe needs a command on both sides; the caller reads the end of the pipeline.
        const token = this.#cursor.peek()
        if (operands.length === 0) throw new TemplateSyntaxError('empty command', token.from, token.to)
        if (token.kind === 'pipe') {
          this.#cursor.next()
          this.#needCommandAfter(token)
        }
        return { operands, from, to: token.from }
      }
      operands.push(this.#operand())
      const after = this.#cursor.peek()
      if (!['space', 'close', 'right', 'pipe'].includes(after.kind)) throw this.#cursor.unexpected(after, 'operand')
    }
  }

  #needCommandAfter(pipe: Token): void {
    this.#cursor.skipSpace()
    const { kind } = this.#cursor.peek()
    if (kind === 'close' || kind === 'right')
      throw new TemplateSyntaxError('missing command after |', pipe.from, pipe.to)
  }

  #operand(): Operand {
    const token = this.#cursor.next()
    const base = this.#term(token)
    const fields: string[] = []
    if (token.kind === 'field') fields.push(token.text.slice(1))
    let { to } = token
    while (this.#cursor.peek().kind === 'field') {
      const field = this.#cursor.next()
      if (base.kind === 'literal')
        throw new TemplateSyntaxError(`unexpected ${field.text} after a constant`, field.from, field.to)
      fields.push(field.text.slice(1))
      to = field.to
    }
    return { ...base, from: token.from, to: base.kind === 'pipe' ? Math.max(to, base.to) : to, fields }
  }

  #term(token: Token): Operand {
    const { from, to } = token
    const at = { from, to, fields: [] }
    switch (token.kind) {
      case 'dot':
      case 'field':
        return { ...at, kind: 'dot' }
      case 'variable':
        this.#needVariable(token.text, token)
        return { ...at, kind: 'variable', name: token.text }
      case 'name':
        return this.#word(token)
      case 'string':
        return { ...at, kind: 'literal', value: token.text }
      case 'char':
        return { ...at, kind: 'literal', value: BigInt(token.text.codePointAt(0)!) }
      case 'number':
        return { ...at, kind: 'literal', value: this.#number(token) }
      case 'left': {
        this.#cursor.enter(token)
        const pipe = this.pipe('right', 1, 'parenthesized pipeline')
        this.#cursor.leave()
        return { ...at, kind: 'pipe', pipe, to: this.#cursor.last.to }
      }
      default:
        throw this.#cursor.unexpected(token, 'operand')
    }
  }

  #word(token: Token): Operand {
    const { text, from, to } = token
    const at = { from, to, fields: [] }
    if (text === 'true' || text === 'false') return { ...at, kind: 'literal', value: text === 'true' }
    if (text === 'nil') return { ...at, kind: 'literal', value: null }
    if (!this.#functions.has(text)) {
      throw new TemplateSyntaxError(`function "${text}" not defined`, from, to, didYouMean(text, this.#functions))
    }
    this.used.add(text)
    return { ...at, kind: 'function', name: text }
  }

  #number(token: Token): Value {
    const plain = token.text.replaceAll('_', '')
    const isHex = /^[+-]?0[xX]/.test(plain)
    if (!isHex && /[.eE]/.test(plain)) return Number(plain)
    const digits = plain.replace(/^[+-]/, '').replace(/^0(?=\d)/, '0o')
    if (!/^(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+)$/.test(digits)) {
      throw new TemplateSyntaxError(`bad number syntax: "${token.text}"`, token.from, token.to)
    }
    const value = BigInt(digits) * (plain.startsWith('-') ? -1n : 1n)
    if (BigInt.asIntN(64, value) !== value) throw new TemplateSyntaxError('integer overflow', token.from, token.to)
    return value
  }

  #needVariable(name: string, token: Token): void {
    if (this.variables.includes(name)) return
    const help = didYouMean(name, this.variables)
    throw new TemplateSyntaxError(`undefined variable "${name}"`, token.from, token.to, help)
  }
}
