import { childrenOf, type AtTime, type Binary, type Expr, type VectorSelector } from '../../promql/ast.ts'
import { typeOf } from '../../promql/check.ts'
import { FUNCTIONS } from '../../promql/functions.ts'
import { formatGoFloat } from '../../base/go-float.ts'
import type { ExprNode } from '../../contract/expr-tree.ts'

/** An expression in the answer of `/api/v1/parse_query`: the tree of Prometheus' UI and of Perses, with its names. */
export function exprTree(expr: Expr): ExprNode {
  switch (expr.kind) {
    case 'number':
      return { type: 'numberLiteral', val: formatGoFloat(expr.value, 'f') }
    case 'string':
      return { type: 'stringLiteral', val: expr.value }
    case 'vector':
      return { type: 'vectorSelector', ...selectorFields(expr) }
    case 'matrix':
      return { type: 'matrixSelector', range: knownMs(expr.rangeMs), ...selectorFields(expr.selector) }
    case 'subquery':
      return {
        type: 'subquery',
        expr: exprTree(expr.expr),
        range: knownMs(expr.rangeMs),
        step: knownMs(expr.stepMs ?? 0),
        offset: knownMs(expr.offsetMs),
        ...atFields(expr.at),
      }
    case 'call': {
      const { args, variadic, returns } = FUNCTIONS[expr.func]!
      return {
        type: 'call',
        func: { name: expr.func, argTypes: [...args], variadic, returnType: returns },
        args: childrenOf(expr).map(exprTree),
      }
    }
    case 'aggregate':
      return {
        type: 'aggregation',
        op: expr.op,
        expr: exprTree(expr.expr),
        param: expr.param === undefined ? null : exprTree(expr.param),
        grouping: [...expr.grouping],
        without: expr.isWithout,
      }
    case 'binary':
      return {
        type: 'binaryExpr',
        op: expr.op,
        lhs: exprTree(expr.left),
        rhs: exprTree(expr.right),
        matching: matchingOf(expr),
        bool: expr.isBool,
      }
    case 'unary':
      return { type: 'unaryExpr', op: expr.op, expr: exprTree(expr.expr) }
    case 'paren':
      return { type: 'parenExpr', expr: exprTree(expr.expr) }
  }
}

/** 0 where it depends on the query's step or range, as in Prometheus. */
function knownMs(ms: number): number {
  return Number.isNaN(ms) ? 0 : ms
}

type SelectorFields = Omit<Extract<ExprNode, { readonly type: 'vectorSelector' }>, 'type'>

function selectorFields({ metric, matchers, offsetMs, at, extension }: VectorSelector): SelectorFields {
  return {
    name: metric ?? '',
    matchers: matchers.map(({ name, op, value }) => ({ name, value, type: op })),
    offset: knownMs(offsetMs),
    ...atFields(at),
    anchored: extension === 'anchored',
    smoothed: extension === 'smoothed',
  }
}

/** `timestamp` is in milliseconds, as in Prometheus. */
function atFields(at: AtTime | undefined): Pick<SelectorFields, 'timestamp' | 'startOrEnd'> {
  if (at === undefined) return { timestamp: null, startOrEnd: null }
  return at.kind === 'time' ? { timestamp: at.timeMs, startOrEnd: null } : { timestamp: null, startOrEnd: at.kind }
}

/** None where one side is a scalar. */
function matchingOf({ matching, left, right }: Binary): Extract<ExprNode, { readonly type: 'binaryExpr' }>['matching'] {
  if (matching === undefined || typeOf(left) === 'scalar' || typeOf(right) === 'scalar') return null
  const { card, labels, isOn, include, fillLeft, fillRight } = matching
  const fillValues = { lhs: fillLeft ?? null, rhs: fillRight ?? null }
  return { card, labels: [...labels], on: isOn, include: [...include], fillValues }
}
