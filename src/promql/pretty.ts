import type { Expr } from './ast.ts'
import { formatAggregateHead, formatExpr, formatOperator, formatSubqueryTail } from './format.ts'

/** Parts longer than this many bytes are split, each piece on its own line. */
const LINE_BYTES_MAX = 100

/** An expression over several lines, formatted like Prometheus' `/format_query`. Parsing it gives the same tree. */
export function prettyExpr(expr: Expr): string {
  return pretty(expr, 0)
}

function pretty(expr: Expr, level: number): string {
  const indent = '  '.repeat(level)
  const line = formatExpr(expr)
  const fits = Buffer.byteLength(line) <= LINE_BYTES_MAX
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'vector':
    case 'matrix':
      return indent + line
    case 'subquery':
      // As in Prometheus, a part that fits is not indented.
      return fits ? line : `${pretty(expr.expr, level)}${formatSubqueryTail(expr)}`
    case 'unary':
      return `${indent}${expr.op}${pretty(expr.expr, level).trim()}`
    case 'paren':
      return fits ? indent + line : `${indent}(\n${pretty(expr.expr, level + 1)}\n${indent})`
    case 'call':
      return fits ? indent + line : `${indent}${expr.func}(\n${prettyList(expr.args, level + 1)}\n${indent})`
    case 'aggregate': {
      if (fits) return indent + line
      const parts = expr.param === undefined ? [expr.expr] : [expr.param, expr.expr]
      return `${indent}${formatAggregateHead(expr)}(\n${prettyList(parts, level + 1)}\n${indent})`
    }
    case 'binary':
      if (fits) return indent + line
      return `${pretty(expr.left, level + 1)}\n${indent}${formatOperator(expr)}\n${pretty(expr.right, level + 1)}`
  }
}

function prettyList(parts: readonly Expr[], level: number): string {
  return parts.map((part) => pretty(part, level)).join(',\n')
}
