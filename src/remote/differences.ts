/**
 * What stores compute differently from Prometheus 3, and which queries that affects. The user gets the differences of a query
 * beside its answer. `npm run bench pushdown` compares answers over test scripts: each difference that it finds is in this list.
 */
import { positionOf } from '../model/diagnostic.ts'
import { childrenOf, type Expr } from '../promql/ast.ts'
import { nameOf, type StoreTraits } from './traits.ts'

export interface Difference {
  /** For tests and figures. */
  readonly id: string
  /** Of which stores. */
  readonly has: (traits: StoreTraits) => boolean
  /** Whether it affects this node. Its parts are tested for themselves. */
  readonly affects: (node: Expr, context: NodeContext) => boolean
  /**
   * `values`: other series, or values that differ by more than the ends of windows and rounding, so such a query is evaluated
   * here. `shown`: the query is sent, and the answer has the sentence.
   */
  readonly effect: 'values' | 'shown'
  /** Of what is stored, so also of queries that are evaluated here. */
  readonly isOfStorage?: true
  /** What the store does. It follows the name of the store. */
  readonly text: string
}

export interface NodeContext {
  /** In a range query, or in a subquery. */
  readonly isStepped: boolean
  readonly parent: Expr | undefined
}

export interface FoundDifference {
  readonly difference: Difference
  /** As annotations are shown, with the position. */
  readonly sentence: string
}

/** Sorted as in the table, each with its first place in the query. */
export function differencesOf(
  query: string,
  expr: Expr,
  isRange: boolean,
  traits: StoreTraits,
  table: readonly Difference[],
): readonly FoundDifference[] {
  const places = new Map<Difference, number>()
  const known = table.filter(({ has }) => has(traits))
  const visit = (node: Expr, parent: Expr | undefined, isStepped: boolean): void => {
    for (const difference of known) {
      if (!places.has(difference) && difference.affects(node, { isStepped, parent })) places.set(difference, node.from)
    }
    for (const child of childrenOf(node)) visit(child, node, isStepped || node.kind === 'subquery')
  }
  visit(expr, undefined, isRange)
  return table.flatMap((difference) => {
    const from = places.get(difference)
    if (from === undefined) return []
    const { line, column } = positionOf(query, from)
    return [{ difference, sentence: `${nameOf(traits)} ${difference.text} (${line}:${column})` }]
  })
}

/** Features of the query that the store does not have, by their names in `StoreTraits.lacks`. */
export function lackedBy(expr: Expr, { lacks }: StoreTraits): readonly string[] {
  const found = new Set<string>()
  const visit = (node: Expr): void => {
    for (const feature of featuresOf(node)) if (lacks.has(feature)) found.add(feature)
    childrenOf(node).forEach(visit)
  }
  visit(expr)
  return [...found]
}

const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

function featuresOf(node: Expr): readonly string[] {
  const areQuoted = (names: readonly string[]): readonly string[] =>
    names.every((name) => LABEL_NAME.test(name)) ? [] : ['quoted label names']
  switch (node.kind) {
    case 'number':
    case 'string':
    case 'unary':
    case 'paren':
    case 'matrix':
      return []
    case 'vector': {
      const at = node.at === undefined ? [] : node.at.kind === 'time' ? ['the @ modifier'] : ['@ start() and @ end()']
      return [
        ...at,
        ...(node.offsetMs < 0 ? ['a negative offset'] : []),
        ...(node.extension === undefined ? [] : [`the ${node.extension} modifier`]),
        ...areQuoted(node.matchers.map(({ name }) => name)),
      ]
    }
    case 'subquery': {
      const at = node.at === undefined ? [] : node.at.kind === 'time' ? ['the @ modifier'] : ['@ start() and @ end()']
      return ['a subquery', ...at, ...(node.offsetMs < 0 ? ['a negative offset'] : [])]
    }
    case 'call':
      return [node.func]
    case 'aggregate':
      return [node.op, ...areQuoted(node.grouping)]
    case 'binary': {
      const { matching, op } = node
      const isFilled = matching?.fillLeft !== undefined || matching?.fillRight !== undefined
      return [
        ...(op === 'atan2' ? ['atan2'] : []),
        ...(op === '</' || op === '>/' ? ['a trim operator'] : []),
        ...(isFilled ? ['a fill modifier'] : []),
        ...areQuoted([...(matching?.labels ?? []), ...(matching?.include ?? [])]),
      ]
    }
  }
}
