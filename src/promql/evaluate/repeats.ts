import { childrenOf, type Expr } from '../ast.ts'
import { formatExpr } from '../format.ts'

/** Parts worth caching when they occur twice in a query: those that read the store or compute over what was read. */
const KINDS: ReadonlySet<Expr['kind']> = new Set(['vector', 'binary', 'aggregate', 'call', 'unary'])

const known = new WeakMap<Expr, ReadonlyMap<Expr, string>>()

/**
 * The parts of a query that occur more than once, with their text, which is equal for equal parts: `x == 1` in a share
 * is read, compared and stored once. A part that only repeats inside a repeated part is not included.
 */
export function repeatsOf(query: Expr): ReadonlyMap<Expr, string> {
  let repeats = known.get(query)
  if (repeats === undefined) {
    repeats = find(query)
    known.set(query, repeats)
  }
  return repeats
}

function find(query: Expr): ReadonlyMap<Expr, string> {
  const texts = new Map<Expr, string>()
  const counts = new Map<string, number>()
  const count = (expr: Expr): void => {
    if (KINDS.has(expr.kind)) {
      const text = formatExpr(expr)
      texts.set(expr, text)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    childrenOf(expr).forEach(count)
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
