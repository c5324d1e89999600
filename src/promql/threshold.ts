/** The comparison with a number that the result of an expression last passed. */
import { isComparison, unwrapParens, type ArithmeticOp, type ComparisonOp, type Expr } from './ast.ts'
import { ARITHMETIC, COMPARISONS } from './evaluate/operators.ts'
import { formatExpr } from './format.ts'
import { parseExpr } from './parse.ts'
import { PromqlError } from './promql-error.ts'

export interface Threshold {
  /** The compared expression, as PromQL. */
  readonly expr: string
  /** `value operator threshold` is true. */
  readonly operator: ComparisonOp
  readonly threshold: number
}

/**
 * `undefined` when the value of the result is not the compared one: a comparison of two vectors, `bool`, arithmetic
 * after it, or a text that does not parse. For `a or b`, the part that a value satisfies.
 */
export function thresholdOf(text: string, value: number): Threshold | undefined {
  const expr = parsed(text)
  return expr === undefined ? undefined : find(expr, value)
}

/**
 * Of an expression: the comparison that a value of its result passed, as the rule writes it, without the compared
 * expression: `> 0.9`. The expression is parsed once.
 */
export function thresholdTexts(text: string): (value: number) => string | undefined {
  const expr = parsed(text)
  return (value) => {
    const found = expr === undefined ? undefined : find(expr, value)
    return found === undefined ? undefined : `${found.operator} ${found.threshold}`
  }
}

function parsed(text: string): Expr | undefined {
  try {
    return parseExpr(text)
  } catch (thrown) {
    if (thrown instanceof PromqlError) return undefined
    throw thrown
  }
}

function find(outer: Expr, value: number): Threshold | undefined {
  const expr = unwrapParens(outer)
  if (expr.kind !== 'binary') return undefined
  const { op, left, right } = expr
  if (op === 'and' || op === 'unless') return find(left, value)
  if (op === 'or') {
    const parts = [find(left, value), find(right, value)]
    return parts.find((part) => part !== undefined && COMPARISONS[part.operator](value, part.threshold))
  }
  if (!isComparison(op) || expr.isBool) return undefined
  const [own, other] = [numberOf(left), numberOf(right)]
  // `x > 5 < 9` passed `< 9` last.
  if (other !== undefined && own === undefined) return { expr: formatExpr(left), operator: op, threshold: other }
  if (own !== undefined && other === undefined) {
    return { expr: formatExpr(right), operator: TURNED[op], threshold: own }
  }
  return undefined
}

const TURNED: Readonly<Record<ComparisonOp, ComparisonOp>> = {
  '>': '<',
  '>=': '<=',
  '<': '>',
  '<=': '>=',
  '==': '==',
  '!=': '!=',
}

/** A number with an optional sign, or arithmetic of numbers. */
function numberOf(outer: Expr): number | undefined {
  const expr = unwrapParens(outer)
  if (expr.kind === 'number') return expr.value
  if (expr.kind === 'unary') {
    const inner = numberOf(expr.expr)
    return inner === undefined || expr.op === '+' ? inner : -inner
  }
  if (expr.kind !== 'binary') return undefined
  const [left, right] = [numberOf(expr.left), numberOf(expr.right)]
  if (left === undefined || right === undefined) return undefined
  return SIMPLE_ARITHMETIC.has(expr.op) ? ARITHMETIC[expr.op as ArithmeticOp](left, right) : undefined
}

const SIMPLE_ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/'])
