/** Visits the nodes of expressions with their ancestors, and creates findings at a node. */
import type { Range } from '../../yaml/yaml-reader.ts'
import { childrenOf, type Expr, type VectorSelector } from '../../promql/ast.ts'
import type { CheckFinding } from './check.ts'
import type { PlacedQuery } from './rule-content.ts'

/** `above` are the ancestors of the node, its parent first. */
type Visitor = (node: Expr, above: readonly Expr[]) => void

export function visit(expr: Expr, visitor: Visitor, above: readonly Expr[] = []): void {
  visitor(expr, above)
  for (const child of childrenOf(expr)) visit(child, visitor, [expr, ...above])
}

/** Every node of every query that parses. */
export function visitQueries(
  queries: readonly PlacedQuery[],
  visitor: (query: PlacedQuery, node: Expr, above: readonly Expr[]) => void,
): void {
  for (const query of queries) {
    if (query.expr !== undefined)
      visit(query.expr, (node, above) => {
        visitor(query, node, above)
      })
  }
}

/** A finding about a node of a query. */
export function at(query: PlacedQuery, node: Range, message: string, help?: string): CheckFinding {
  const { file, subject } = query
  return { file, subject, message, ...(help === undefined ? {} : { help }), ...query.rangeOf(node.from, node.to) }
}

export function isSelector(node: Expr): node is VectorSelector {
  return node.kind === 'vector'
}
