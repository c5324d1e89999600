/** The nodes of expressions with their ancestors, and findings at a node. */
import type { Range } from '../../yaml/yaml-reader.ts'
import { childrenOf, type Expr, type VectorSelector } from '../../promql/ast.ts'
import type { CheckFinding } from './check.ts'
import type { PlacedQuery } from './rule-content.ts'

interface PlacedNode {
  readonly query: PlacedQuery
  /** The whole expression of the query. */
  readonly expr: Expr
  readonly node: Expr
  /** The ancestors of the node, its parent first. */
  readonly above: readonly Expr[]
}

/** Every node of every query that parses. */
export function* nodesOf(queries: readonly PlacedQuery[]): Iterable<PlacedNode> {
  for (const query of queries) if (query.expr !== undefined) yield* below(query, query.expr, query.expr, [])
}

function* below(query: PlacedQuery, expr: Expr, node: Expr, above: readonly Expr[]): Iterable<PlacedNode> {
  yield { query, expr, node, above }
  for (const child of childrenOf(node)) yield* below(query, expr, child, [node, ...above])
}

export function* selectorsIn(
  queries: readonly PlacedQuery[],
): Iterable<Omit<PlacedNode, 'node'> & { readonly selector: VectorSelector }> {
  for (const { node, ...place } of nodesOf(queries)) if (node.kind === 'vector') yield { ...place, selector: node }
}

/** A finding about a node of a query. */
export function at(query: PlacedQuery, node: Range, message: string, help?: string): CheckFinding {
  const { file, subject } = query
  return { file, subject, message, ...(help === undefined ? {} : { help }), ...query.rangeOf(node.from, node.to) }
}

/** The range of the metric's name at the start of a selector. */
export function nameIn({ from, to }: Range, name: string): Range {
  return { from, to: Math.min(to, from + name.length) }
}
