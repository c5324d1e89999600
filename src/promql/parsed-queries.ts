import type { Expr } from './ast.ts'
import { parseExpr } from './parse.ts'
import type { ParseOptions } from './parse-options.ts'

/** Maximum number of cached queries, and the longest cached text. */
const QUERIES_MAX = 1000
const TEXT_MAX = 10_000

/** A cache of parsed queries: rules and dashboards repeat theirs. The least recently used entry is dropped first. */
export class ParsedQueries {
  readonly #known = new Map<string, Expr>()
  readonly #options: ParseOptions

  /** All texts use one language, so the text alone is the key. */
  constructor(options: ParseOptions) {
    this.#options = options
  }

  /** Throws `PromqlError`. */
  get(text: string): Expr {
    const known = this.#known.get(text)
    if (known !== undefined) this.#known.delete(text)
    const expr = known ?? parseExpr(text, this.#options)
    if (text.length <= TEXT_MAX) this.#known.set(text, expr)
    if (this.#known.size > QUERIES_MAX) this.#known.delete(this.#known.keys().next().value!)
    return expr
  }
}
