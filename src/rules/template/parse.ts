/**
 * Tokens to tree, by Go's grammar for text/template: pipelines, variables with block scope, if / with / range with else,
 * define and template, break and continue. An unknown function or variable is an error here, before anything runs.
 */
import { nearest } from '../../base/nearest.ts'
import type { Command, Node, Operand, Pipe, TemplateTree } from './ast.ts'
import { TemplateSyntaxError, lexTemplate } from './lexer.ts'
import type { Token, TokenKind } from './lexer.ts'
import type { Value } from './value.ts'

/** Depth of nested blocks and parentheses. */
const DEPTH_MAX = 100

const KEYWORDS = new Set(['if', 'else', 'end', 'range', 'with', 'template', 'define', 'block', 'break', 'continue'])

/** Throws `TemplateSyntaxError`. `variables` are those that exist before the first action, with their `$`. */
export function parseTemplate(
  text: string,
  functions: ReadonlySet<string>,
  variables: readonly string[],
): TemplateTree {
  return new Parser(text, functions, variables).parse()
}

/** How a block ended. */
type Ending = 'eof' | 'end' | 'else'

class Parser {
  readonly #functions: ReadonlySet<string>
  readonly #tokens: readonly Token[]
  readonly #definitions = new Map<string, readonly Node[]>()
  readonly #used = new Set<string>()
  #variables: string[]
  #at = 0
  #depth = 0
  #loops = 0

  constructor(text: string, functions: ReadonlySet<string>, variables: readonly string[]) {
    this.#functions = functions
    this.#variables = ['$', ...variables]
    this.#tokens = lexTemplate(text)
  }

  parse(): TemplateTree {
    const { nodes, ending, at } = this.#block()
    if (ending !== 'eof') throw new TemplateSyntaxError(`unexpected {{${ending}}}`, at.from, at.to)
    return { body: nodes, definitions: this.#definitions, functions: this.#used }
  }

  // Blocks

  #block(): { readonly nodes: readonly Node[]; readonly ending: Ending; readonly at: Token } {
    const nodes: Node[] = []
    for (;;) {
      const token = this.#next()
      if (token.kind === 'end') return { nodes, ending: 'eof', at: token }
      if (token.kind === 'text') {
        nodes.push({ kind: 'text', text: token.text })
        continue
      }
      this.#skipSpace()
      const head = this.#peek()
      if (head.kind === 'name' && (head.text === 'end' || head.text === 'else')) {
        this.#next()
        return { nodes, ending: head.text, at: head }
      }
      nodes.push(...this.#action(head, token))
    }
  }

  #action(head: Token, open: Token): Node[] {
    if (head.kind !== 'name' || !KEYWORDS.has(head.text)) {
      const pipe = this.#pipe('close', 1, 'command')
      return [{ kind: 'action', pipe }]
    }
    this.#next()
    switch (head.text) {
      case 'if':
      case 'with':
        return [this.#branch(head.text, open)]
      case 'range':
        return [this.#range(open)]
      case 'template':
        return [this.#template()]
      case 'define':
        this.#define(open)
        return []
      case 'block':
        return [this.#blockAction(open)]
      default:
        if (this.#loops === 0) throw new TemplateSyntaxError(`{{${head.text}}} outside {{range}}`, head.from, head.to)
        this.#close(`{{${head.text}}}`)
        return [{ kind: head.text === 'break' ? 'break' : 'continue' }]
    }
  }

  #branch(kind: 'if' | 'with', open: Token): Node {
    const scope = this.#variables.length
    const pipe = this.#pipe('close', 1, kind)
    const { then, otherwise } = this.#arms(kind, open)
    this.#variables.length = scope
    return { kind, pipe, then, otherwise }
  }

  #range(open: Token): Node {
    const scope = this.#variables.length
    const pipe = this.#pipe('close', 2, 'range')
    this.#loops++
    const { then, otherwise } = this.#arms('range', open)
    this.#loops--
    this.#variables.length = scope
    return { kind: 'range', pipe, body: then, otherwise }
  }

  /** What follows the head of a control structure, up to and including its `{{end}}`. */
  #arms(kind: string, open: Token): { readonly then: readonly Node[]; readonly otherwise: readonly Node[] } {
    this.#enter(open)
    const then = this.#block()
    let otherwise: readonly Node[] = []
    if (then.ending === 'else') {
      this.#skipSpace()
      const next = this.#peek()
      if (next.kind === 'name' && next.text === 'if' && kind === 'if') {
        // `{{else if}}` is an `if` inside the else; the one `{{end}}` closes both.
        this.#next()
        otherwise = [this.#branch('if', open)]
        this.#depth--
        return { then: then.nodes, otherwise }
      }
      this.#close('{{else}}')
      const last = this.#block()
      if (last.ending === 'else')
        throw new TemplateSyntaxError('expected end; found {{else}}', last.at.from, last.at.to)
      this.#needEnd(last.ending, kind, open)
      otherwise = last.nodes
    } else {
      this.#needEnd(then.ending, kind, open)
    }
    this.#close('{{end}}')
    this.#depth--
    return { then: then.nodes, otherwise }
  }

  #needEnd(ending: Ending, kind: string, open: Token): void {
    if (ending === 'eof') {
      throw new TemplateSyntaxError(
        `unexpected EOF: {{${kind}}} has no {{end}}`,
        open.from,
        open.to,
        'close it with {{ end }}',
      )
    }
  }

  #template(): Node {
    const name = this.#name('template')
    this.#skipSpace()
    const pipe = this.#peek().kind === 'close' ? undefined : this.#pipe('close', 1, 'template')
    if (pipe === undefined) this.#next()
    return { kind: 'template', name: name.text, pipe, from: name.from, to: name.to }
  }

  #define(open: Token): void {
    if (this.#depth > 0) throw new TemplateSyntaxError('unexpected {{define}}', open.from, open.to, 'define at the top')
    const name = this.#name('define')
    this.#close('{{define}}')
    this.#definitions.set(name.text, this.#definition(open, 'define'))
  }

  #blockAction(open: Token): Node {
    const name = this.#name('block')
    const pipe = this.#pipe('close', 1, 'block')
    this.#definitions.set(name.text, this.#definition(open, 'block'))
    return { kind: 'template', name: name.text, pipe, from: name.from, to: name.to }
  }

  /** A body of its own: it sees no variable but `$`. */
  #definition(open: Token, kind: string): readonly Node[] {
    const outer = this.#variables
    const loops = this.#loops
    this.#variables = ['$']
    this.#loops = 0
    this.#enter(open)
    const body = this.#block()
    if (body.ending === 'else')
      throw new TemplateSyntaxError(`unexpected {{else}} in ${kind} clause`, body.at.from, body.at.to)
    this.#needEnd(body.ending, kind, open)
    this.#close('{{end}}')
    this.#depth--
    this.#variables = outer
    this.#loops = loops
    return body.nodes
  }

  #name(where: string): Token {
    this.#skipSpace()
    const name = this.#next()
    if (name.kind !== 'string') throw this.#unexpected(name, `${where} clause`)
    return name
  }

  // Pipelines

  #pipe(ending: 'close' | 'right', variablesMax: number, where: string): Pipe {
    this.#skipSpace()
    const { variables, isAssignment } = this.#declarations(variablesMax)
    const commands: Command[] = []
    for (;;) {
      this.#skipSpace()
      const token = this.#peek()
      if (token.kind === ending) {
        this.#next()
        break
      }
      if (token.kind === 'close' || token.kind === 'right') throw this.#unexpected(token, where)
      commands.push(this.#command())
    }
    this.#checkCommands(commands, where)
    if (!isAssignment) this.#variables.push(...variables)
    return { variables, isAssignment, commands }
  }

  #checkCommands(commands: readonly Command[], where: string): void {
    const here = this.#tokens[this.#at - 1]!
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
    const start = this.#at
    const variables: string[] = []
    while (this.#peek().kind === 'variable') {
      const variable = this.#next()
      this.#skipSpace()
      const after = this.#next()
      variables.push(variable.text)
      if (after.kind === 'comma' && variables.length < variablesMax) {
        this.#skipSpace()
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
    this.#at = start
    return { variables: [], isAssignment: false }
  }

  #command(): Command {
    const { from } = this.#peek()
    const operands: Operand[] = []
    for (;;) {
      this.#skipSpace()
      if (['close', 'right', 'pipe'].includes(this.#peek().kind)) {
        // A pipe needs a command on both sides; the end of the pipeline is the caller's.
        const token = this.#peek()
        if (operands.length === 0) throw new TemplateSyntaxError('empty command', token.from, token.to)
        if (token.kind === 'pipe') {
          this.#next()
          this.#needCommandAfter(token)
        }
        return { operands, from, to: token.from }
      }
      operands.push(this.#operand())
      const after = this.#peek()
      if (!['space', 'close', 'right', 'pipe'].includes(after.kind)) throw this.#unexpected(after, 'operand')
    }
  }

  #needCommandAfter(pipe: Token): void {
    this.#skipSpace()
    const { kind } = this.#peek()
    if (kind === 'close' || kind === 'right')
      throw new TemplateSyntaxError('missing command after |', pipe.from, pipe.to)
  }

  #operand(): Operand {
    const token = this.#next()
    const base = this.#term(token)
    const fields: string[] = []
    if (token.kind === 'field') fields.push(token.text.slice(1))
    let { to } = token
    while (this.#peek().kind === 'field') {
      const field = this.#next()
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
        this.#enter(token)
        const pipe = this.#pipe('right', 1, 'parenthesized pipeline')
        this.#depth--
        return { ...at, kind: 'pipe', pipe, to: this.#tokens[this.#at - 1]!.to }
      }
      default:
        throw this.#unexpected(token, 'operand')
    }
  }

  #word(token: Token): Operand {
    const { text, from, to } = token
    const at = { from, to, fields: [] }
    if (text === 'true' || text === 'false') return { ...at, kind: 'literal', value: text === 'true' }
    if (text === 'nil') return { ...at, kind: 'literal', value: null }
    if (!this.#functions.has(text)) {
      const [first] = nearest(text, this.#functions, 1)
      const help = first === undefined ? undefined : `did you mean ${first}?`
      throw new TemplateSyntaxError(`function "${text}" not defined`, from, to, help)
    }
    this.#used.add(text)
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
    if (this.#variables.includes(name)) return
    const [first] = nearest(name, this.#variables, 1)
    const help = first === undefined ? undefined : `did you mean ${first}?`
    throw new TemplateSyntaxError(`undefined variable "${name}"`, token.from, token.to, help)
  }

  // Tokens

  #peek(): Token {
    return this.#tokens[this.#at]!
  }

  #next(): Token {
    const token = this.#peek()
    if (token.kind !== 'end') this.#at++
    return token
  }

  #skipSpace(): void {
    while (this.#peek().kind === 'space') this.#at++
  }

  #close(where: string): void {
    this.#skipSpace()
    const token = this.#next()
    if (token.kind !== 'close') throw this.#unexpected(token, where)
  }

  #enter(token: Token): void {
    if (++this.#depth > DEPTH_MAX) {
      throw new TemplateSyntaxError(`nested deeper than ${DEPTH_MAX}`, token.from, token.to)
    }
  }

  #unexpected(token: Token, where: string): TemplateSyntaxError {
    const names: Partial<Record<TokenKind, string>> = { close: '}}', end: 'end of template' }
    const shown = names[token.kind] ?? token.text
    return new TemplateSyntaxError(`unexpected "${shown}" in ${where}`, token.from, token.to)
  }
}
