import type { Expr } from './ast.ts'
import { parseExpr } from './parse.ts'
import type { ParseOptions } from './parse-options.ts'

/** The most queries that are kept, and the longest text that is. */
const QUERIES_MAX = 1000
const TEXT_MAX = 10_000

/** Queries that were parsed before: rules and dashboards ask the same again. What was not asked for longest goes first. */
export class ParsedQueries {
  readonly #known = new Map<string, Expr>()
  readonly #options: ParseOptions

  /** All texts are read in one language, so their text alone tells them apart. */
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
