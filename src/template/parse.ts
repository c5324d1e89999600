/**
 * Builds the tree from tokens, by Go's grammar of text/template: if / with / range with else, define and template,
 * break and continue around the pipelines of parse-pipe.ts, variables with block scope.
 */
import type { Node, TemplateTree } from './ast.ts'
import { TemplateSyntaxError, type Token } from './lexer.ts'
import { PipeParser } from './parse-pipe.ts'
import { TokenCursor } from './token-cursor.ts'

const KEYWORDS = new Set(['if', 'else', 'end', 'range', 'with', 'template', 'define', 'block', 'break', 'continue'])

/** Throws `TemplateSyntaxError`. `variables` are those that exist before the first action, with their `$`. */
export function parseTemplate(
  text: string,
  functions: ReadonlySet<string>,
  variables: readonly string[],
): TemplateTree {
  const cursor = new TokenCursor(text)
  return new BlockParser(cursor, new PipeParser(cursor, functions, variables)).parse()
}

/** The end of a block. */
type Ending = 'eof' | 'end' | 'else'

class BlockParser {
  readonly #cursor: TokenCursor
  readonly #pipes: PipeParser
  readonly #definitions = new Map<string, readonly Node[]>()
  #loops = 0

  constructor(cursor: TokenCursor, pipes: PipeParser) {
    this.#cursor = cursor
    this.#pipes = pipes
  }

  parse(): TemplateTree {
    const { nodes, ending, at } = this.#block()
    if (ending !== 'eof') throw new TemplateSyntaxError(`unexpected {{${ending}}}`, at.from, at.to)
    return { body: nodes, definitions: this.#definitions, functions: this.#pipes.used }
  }

  #block(): { readonly nodes: readonly Node[]; readonly ending: Ending; readonly at: Token } {
    const nodes: Node[] = []
    for (;;) {
      const token = this.#cursor.next()
      if (token.kind === 'end') return { nodes, ending: 'eof', at: token }
      if (token.kind === 'text') {
        nodes.push({ kind: 'text', text: token.text })
        continue
      }
      this.#cursor.skipSpace()
      const head = this.#cursor.peek()
      if (head.kind === 'name' && (head.text === 'end' || head.text === 'else')) {
        this.#cursor.next()
        return { nodes, ending: head.text, at: head }
      }
      nodes.push(...this.#action(head, token))
    }
  }

  #action(head: Token, open: Token): Node[] {
    if (head.kind !== 'name' || !KEYWORDS.has(head.text)) {
      const pipe = this.#pipes.pipe('close', 1, 'command')
      return [{ kind: 'action', pipe }]
    }
    this.#cursor.next()
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
        this.#cursor.close(`{{${head.text}}}`)
        return [{ kind: head.text === 'break' ? 'break' : 'continue' }]
    }
  }

  #branch(kind: 'if' | 'with', open: Token): Node {
    const scope = this.#pipes.variables.length
    const pipe = this.#pipes.pipe('close', 1, kind)
    const { then, otherwise } = this.#arms(kind, open)
    this.#pipes.variables.length = scope
    return { kind, pipe, then, otherwise }
  }

  #range(open: Token): Node {
    const scope = this.#pipes.variables.length
    const pipe = this.#pipes.pipe('close', 2, 'range')
    this.#loops++
    const { then, otherwise } = this.#arms('range', open)
    this.#loops--
    this.#pipes.variables.length = scope
    return { kind: 'range', pipe, body: then, otherwise }
  }

  /** The part after the head of a control structure, up to and including its `{{end}}`. */
  #arms(kind: string, open: Token): { readonly then: readonly Node[]; readonly otherwise: readonly Node[] } {
    this.#cursor.enter(open)
    const then = this.#block()
    let otherwise: readonly Node[] = []
    if (then.ending === 'else') {
      this.#cursor.skipSpace()
      const next = this.#cursor.peek()
      if (next.kind === 'name' && next.text === 'if' && kind === 'if') {
        // `{{else if}}` is an `if` inside the else; the one `{{end}}` closes both.
        this.#cursor.next()
        otherwise = [this.#branch('if', open)]
        this.#cursor.leave()
        return { then: then.nodes, otherwise }
      }
      this.#cursor.close('{{else}}')
      const last = this.#block()
      if (last.ending === 'else')
        throw new TemplateSyntaxError('expected end; found {{else}}', last.at.from, last.at.to)
      this.#needEnd(last.ending, kind, open)
      otherwise = last.nodes
    } else {
      this.#needEnd(then.ending, kind, open)
    }
    this.#cursor.close('{{end}}')
    this.#cursor.leave()
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
    this.#cursor.skipSpace()
    const pipe = this.#cursor.peek().kind === 'close' ? undefined : this.#pipes.pipe('close', 1, 'template')
    if (pipe === undefined) this.#cursor.next()
    return { kind: 'template', name: name.text, pipe, from: name.from, to: name.to }
  }

  #define(open: Token): void {
    if (this.#cursor.depth > 0)
      throw new TemplateSyntaxError('unexpected {{define}}', open.from, open.to, 'define at the top')
    const name = this.#name('define')
    this.#cursor.close('{{define}}')
    this.#definitions.set(name.text, this.#definition(open, 'define'))
  }

  #blockAction(open: Token): Node {
    const name = this.#name('block')
    const pipe = this.#pipes.pipe('close', 1, 'block')
    this.#definitions.set(name.text, this.#definition(open, 'block'))
    return { kind: 'template', name: name.text, pipe, from: name.from, to: name.to }
  }

  /** The body has only the variable `$`. */
  #definition(open: Token, kind: string): readonly Node[] {
    const outer = this.#pipes.variables
    const loops = this.#loops
    this.#pipes.variables = ['$']
    this.#loops = 0
    this.#cursor.enter(open)
    const body = this.#block()
    if (body.ending === 'else')
      throw new TemplateSyntaxError(`unexpected {{else}} in ${kind} clause`, body.at.from, body.at.to)
    this.#needEnd(body.ending, kind, open)
    this.#cursor.close('{{end}}')
    this.#cursor.leave()
    this.#pipes.variables = outer
    this.#loops = loops
    return body.nodes
  }

  #name(where: string): Token {
    this.#cursor.skipSpace()
    const name = this.#cursor.next()
    if (name.kind !== 'string') throw this.#cursor.unexpected(name, `${where} clause`)
    return name
  }
}
