/** Walking an expression with the way back up, and saying where in a file a node stands. */
import { childrenOf } from '../../promql/ast.ts'
import type { Expr, VectorSelector } from '../../promql/ast.ts'
import type { CheckFinding } from './check.ts'
import type { PlacedQuery } from './rule-content.ts'

/** `above` is the way from the node's parent to the root. */
export type Visit = (node: Expr, above: readonly Expr[]) => void

export function visit(expr: Expr, look: Visit, above: readonly Expr[] = []): void {
  look(expr, above)
  for (const child of childrenOf(expr)) visit(child, look, [expr, ...above])
}

/** Every node of every query that parses. */
export function visitQueries(
  queries: readonly PlacedQuery[],
  look: (query: PlacedQuery, node: Expr, above: readonly Expr[]) => void,
): void {
  for (const query of queries) {
    if (query.expr !== undefined)
      visit(query.expr, (node, above) => {
        look(query, node, above)
      })
  }
}

/** A finding about a node of a query. */
export function at(
  query: PlacedQuery,
  node: { readonly from: number; readonly to: number },
  message: string,
  help?: string,
): CheckFinding {
  const { file, subject } = query
  return { file, subject, message, ...(help === undefined ? {} : { help }), ...query.rangeOf(node.from, node.to) }
}

/** The selectors below a node, itself included. */
export function isSelector(node: Expr): node is VectorSelector {
  return node.kind === 'vector'
}
