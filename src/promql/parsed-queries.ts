import { childrenOf, selectorsOf, type Expr } from './ast.ts'
import { resolveDurations, type QueryWindow } from './durations.ts'
import type { Evaluation } from './evaluate/evaluation.ts'
import { countingSelectors } from './evaluate/reset-hints.ts'
import { formatNode } from './format.ts'
import { parseExpr } from './parse.ts'
import type { ParseOptions } from './parse-options.ts'

/** Maximum number of cached queries, and the longest cached text. */
const QUERIES_MAX = 1000
const TEXT_MAX = 10_000

/** A query, and what follows from its tree alone. */
export interface ParsedQuery extends Pick<Evaluation, 'repeats' | 'countingSelectors' | 'selectorCount'> {
  readonly expr: Expr
  /** No duration depends on the query's step or range; unknown until the query has run. */
  isWindowless: boolean
}

function parsedQuery(expr: Expr): ParsedQuery {
  const selectorCount = selectorsOf(expr).length
  return {
    expr,
    repeats: repeatsOf(expr),
    countingSelectors: countingSelectors(expr),
    selectorCount,
    isWindowless: false,
  }
}

/** A cache of parsed queries: rules and dashboards repeat theirs. The least recently used entry is dropped first. */
export class ParsedQueries {
  readonly #known = new Map<string, ParsedQuery>()
  readonly #options: ParseOptions

  /** All texts use one language, so the text alone is the key. */
  constructor(options: ParseOptions) {
    this.#options = options
  }

  /** The query with its durations resolved. Throws `PromqlError`. */
  get(text: string, window: QueryWindow): ParsedQuery {
    const known = this.#known.get(text)
    if (known !== undefined) this.#known.delete(text)
    const query = known ?? parsedQuery(parseExpr(text, this.#options))
    if (text.length <= TEXT_MAX) this.#known.set(text, query)
    if (this.#known.size > QUERIES_MAX) this.#known.delete(this.#known.keys().next().value!)
    if (query.isWindowless) return query
    const expr = resolveDurations(query.expr, text, window)
    if (expr !== query.expr) return parsedQuery(expr)
    query.isWindowless = true
    return query
  }
}

/** Parts worth caching when they occur twice in a query: those that read the store or compute over what was read. */
const KINDS: ReadonlySet<Expr['kind']> = new Set(['vector', 'binary', 'aggregate', 'call', 'unary'])

/**
 * The parts of a query that occur more than once, with a text, which is equal for equal parts: `x == 1` in a share
 * is read, compared and stored once. A part that only repeats inside a repeated part is not included.
 */
function repeatsOf(query: Expr): ReadonlyMap<Expr, string> {
  const texts = new Map<Expr, string>()
  const counts = new Map<string, number>()
  /** Numbers of texts, which stand for parts in the texts of what has them: texts stay short. */
  const numbers = new Map<string, number>()
  const count = (expr: Expr): string => {
    const text = formatNode(expr, count)
    if (KINDS.has(expr.kind)) {
      texts.set(expr, text)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return `\u0000${number}`
  }
  count(query)
  const repeats = new Map<Expr, string>()
  const take = (expr: Expr, around: number): void => {
    const text = texts.get(expr)
    const times = text === undefined ? around : counts.get(text)!
    if (text !== undefined && times > around) repeats.set(expr, text)
    for (const child of childrenOf(expr)) take(child, Math.max(around, times))
  }
  take(query, 1)
  return repeats
}
