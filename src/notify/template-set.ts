/**
 * The templates of one configuration by name: the default ones, overridden by those of its files. Texts of receivers are
 * expanded with these definitions; in HTML every value is escaped, in text and in addresses.
 */
import type { Node, TemplateTree } from '../template/ast.ts'
import { evaluateTemplate } from '../template/evaluate.ts'
import { GO_FUNCTIONS, escapeHtml } from '../template/go-functions.ts'
import { TemplateSyntaxError } from '../template/lexer.ts'
import { parseTemplate } from '../template/parse.ts'
import { DEFAULT_TEMPLATES } from './default-templates.ts'
import type { Message } from './message.ts'
import { templateData } from './template-data.ts'
import { NOTIFY_FUNCTIONS } from './template-functions.ts'

const FUNCTIONS = { ...GO_FUNCTIONS, ...NOTIFY_FUNCTIONS }
const FUNCTION_NAMES: ReadonlySet<string> = new Set(Object.keys(FUNCTIONS))

/** A message may list thousands of alerts. */
const LIMITS = { outputChars: 2_000_000, steps: 2_000_000 }

/** Throws `TemplateSyntaxError`. */
export function parseNotifyTemplate(text: string): TemplateTree {
  return parseTemplate(text, FUNCTION_NAMES, [])
}

/** Names of the templates that a text calls, at any depth. */
export function calledTemplates(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap((node) => {
    switch (node.kind) {
      case 'template':
        return [node.name]
      case 'if':
      case 'with':
        return calledTemplates([...node.then, ...node.otherwise])
      case 'range':
        return calledTemplates([...node.body, ...node.otherwise])
      default:
        return []
    }
  })
}

export class TemplateSet {
  readonly #definitions: ReadonlyMap<string, readonly Node[]>
  readonly #trees = new Map<string, TemplateTree>()

  /** @param files texts of template files; later ones override earlier ones. Throws `TemplateSyntaxError`. */
  constructor(files: readonly string[] = []) {
    const definitions = new Map<string, readonly Node[]>()
    for (const text of [DEFAULT_TEMPLATES, ...files]) {
      for (const [name, body] of parseNotifyTemplate(text).definitions) definitions.set(name, body)
    }
    this.#definitions = definitions
  }

  has(name: string): boolean {
    return this.#definitions.has(name)
  }

  /** Throws `TemplateError` when it fails, and `TemplateSyntaxError` for a text that was not checked. */
  text(text: string, message: Message): string {
    return this.#run(text, message)
  }

  /** As `text`; values are escaped. */
  html(text: string, message: Message): string {
    return this.#run(text, message, escapeForHtml)
  }

  #run(text: string, message: Message, escape?: typeof escapeForHtml): string {
    if (!text.includes('{{')) return text
    let tree = this.#trees.get(text)
    if (tree === undefined) this.#trees.set(text, (tree = parseNotifyTemplate(text)))
    const definitions = new Map([...this.#definitions, ...tree.definitions])
    return evaluateTemplate({
      tree: { ...tree, definitions },
      functions: FUNCTIONS,
      context: { nowMs: message.nowMs },
      root: templateData(message),
      variables: {},
      limits: LIMITS,
      ...(escape === undefined ? {} : { escape }),
    })
  }
}

/** An address with another scheme could run code when it is clicked. */
const SCHEMES = new Set(['http', 'https', 'mailto'])

/** @param before the end of the output so far, which shows whether the value is in an address attribute */
function escapeForHtml(value: string, before: string): string {
  const startsAddress = /(?:href|src|action)\s*=\s*["']?$/i.test(before)
  const scheme = /^[^a-z0-9]*([a-z][a-z0-9+.-]*)\s*:/i.exec(value)?.[1]
  if (startsAddress && scheme !== undefined && !SCHEMES.has(scheme.toLowerCase())) return '#'
  return escapeHtml(value)
}

export { TemplateSyntaxError }
