import { childrenOf, type Expr } from '../ast.ts'

/** Functions whose value depends on the evaluation time, whatever their arguments. */
const TIME_BOUND = new Set([
  'time',
  'timestamp',
  'predict_linear',
  'day_of_month',
  'day_of_week',
  'day_of_year',
  'days_in_month',
  'hour',
  'minute',
  'month',
  'year',
])

const known = new WeakMap<Expr, boolean>()

/** Whether an expression has one value for all steps, because `@` fixes every selector in it: it is evaluated once. */
export function isStepInvariant(expr: Expr): boolean {
  let answer = known.get(expr)
  if (answer === undefined) {
    answer = decide(expr)
    known.set(expr, answer)
  }
  return answer
}

function decide(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return true
    case 'vector':
      return expr.at !== undefined
    case 'subquery':
      return expr.at !== undefined
    case 'call':
      return !TIME_BOUND.has(expr.func) && expr.args.every(isStepInvariant)
    case 'matrix':
    case 'aggregate':
    case 'binary':
    case 'unary':
    case 'paren':
      return childrenOf(expr).every(isStepInvariant)
  }
}
