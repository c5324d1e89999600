import { metricNamesOf, type Expr } from '../promql/ast.ts'
import { parseExpr } from '../promql/parse.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import { PromqlError } from '../promql/promql-error.ts'

/** Metrics that expressions of the content read. An expression that does not parse reads none; lint reports it. */

/** Names with repeats, in the order of the expression. */
export function metricsRead(expr: string, language: ParseOptions): readonly string[] {
  const read = parsedOrNone(expr, language)
  return read === undefined ? [] : metricNamesOf(read)
}

export function parsedOrNone(expr: string, language: ParseOptions): Expr | undefined {
  try {
    return parseExpr(expr, language)
  } catch (thrown) {
    if (thrown instanceof PromqlError) return undefined
    throw thrown
  }
}
