import { metricNamesOf } from '../promql/ast.ts'
import type { Expr } from '../promql/ast.ts'
import { parseExpr } from '../promql/parse.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import { PromqlError } from '../promql/promql-error.ts'

/** What expressions of the content read. One that does not parse reads nothing here; lint tells of it. */

/** Names, each as often as it stands there. */
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
