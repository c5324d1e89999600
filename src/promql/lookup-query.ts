import type { Matcher } from '../model/matcher.ts'
import { childrenOf, selectorsOf, type Expr } from './ast.ts'

/**
 * The selectors of a query that may be a look-up: a few series, read straight on. Undefined for what reads in other ways
 * (subqueries, windows that look beyond their ends, `info`, which finds series by itself) or does not name its metrics.
 */
export function lookupSelectors(expr: Expr): readonly (readonly Matcher[])[] | undefined {
  const selectors = selectorsOf(expr)
  if (selectors.length === 0 || selectors.length > SELECTORS_MAX || !isStraight(expr)) return undefined
  return selectors.every(({ matchers }) => matchers.some(namesMetric))
    ? selectors.map(({ matchers }) => matchers)
    : undefined
}

const SELECTORS_MAX = 4

function isStraight(expr: Expr): boolean {
  if (expr.kind === 'subquery' || (expr.kind === 'call' && expr.func === 'info')) return false
  if (expr.kind === 'vector') return expr.extension === undefined
  return childrenOf(expr).every(isStraight)
}

function namesMetric({ name, op, value }: Matcher): boolean {
  return name === '__name__' && op === '=' && value !== ''
}
