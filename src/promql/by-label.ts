/**
 * An expression that was written for the series of one cluster, over those of many: once for all of them, with one result for each
 * value of a label, or for one value. Exact: a result is that of the original expression over the series of that value alone.
 * Pure.
 */
import type { Matcher } from '../model/matcher.ts'
import { escapeRegex } from '../model/regex.ts'
import type { Aggregate, Binary, Call, Expr, VectorSelector } from './ast.ts'

/** Over the series with one value of a label. */
export function forOne(expr: Expr, label: string, value: string): Expr {
  return withMatcher(expr, { name: label, op: '=', value })
}

/** Over the series with one of some values of a label. */
export function forSome(expr: Expr, label: string, values: readonly string[]): Expr {
  return withMatcher(expr, { name: label, op: '=~', value: values.map(escapeRegex).join('|') })
}

/**
 * Over the series of all values at once; every result has the label. `undefined`: the expression has a part that is of no
 * value, such as `vector(0)` or `absent(...)`, or that changes the label.
 */
export function forEach(expr: Expr, label: string): Expr | undefined {
  const grouped = eachOf(expr, label)
  return grouped && withMatcher(grouped, { name: label, op: '!=', value: '' })
}

function withMatcher(expr: Expr, matcher: Matcher): Expr {
  const inner = (part: Expr): Expr => withMatcher(part, matcher)
  const selected = (part: VectorSelector): VectorSelector => ({ ...part, matchers: [...part.matchers, matcher] })
  switch (expr.kind) {
    case 'number':
    case 'string':
      return expr
    case 'vector':
      return selected(expr)
    case 'matrix':
      return { ...expr, selector: selected(expr.selector) }
    case 'subquery':
    case 'unary':
    case 'paren':
      return { ...expr, expr: inner(expr.expr) }
    case 'call':
      return { ...expr, args: expr.args.map(inner) }
    case 'aggregate':
      return { ...expr, expr: inner(expr.expr), ...(expr.param === undefined ? {} : { param: inner(expr.param) }) }
    case 'binary':
      return { ...expr, left: inner(expr.left), right: inner(expr.right) }
  }
}

function eachOf(expr: Expr, label: string): Expr | undefined {
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'vector':
    case 'matrix':
      return expr
    case 'subquery':
    case 'unary':
    case 'paren': {
      const inner = eachOf(expr.expr, label)
      return inner && { ...expr, expr: inner }
    }
    case 'call':
      return eachCall(expr, label)
    case 'aggregate':
      return eachAggregate(expr, label)
    case 'binary':
      return eachBinary(expr, label)
  }
}

/** Functions whose result has no labels of their argument, or is read beside the selectors. */
const OF_NO_VALUE: ReadonlySet<string> = new Set(['absent', 'absent_over_time', 'scalar', 'vector', 'info'])

function eachCall(expr: Call, label: string): Expr | undefined {
  if (OF_NO_VALUE.has(expr.func)) return undefined
  if (/^label_(replace|join)$/.test(expr.func) && isText(expr.args[1], label)) return undefined
  const args = expr.args.map((arg) => eachOf(arg, label))
  return args.includes(undefined) ? undefined : { ...expr, args: args.flatMap((arg) => arg ?? []) }
}

function eachAggregate(expr: Aggregate, label: string): Expr | undefined {
  if (expr.op === 'count_values' && isText(expr.param, label)) return undefined
  const inner = eachOf(expr.expr, label)
  const param = expr.param && eachOf(expr.param, label)
  if (inner === undefined || (expr.param !== undefined && param === undefined)) return undefined
  const grouping = expr.isWithout ? without(expr.grouping, label) : withLabel(expr.grouping, label)
  return { ...expr, expr: inner, grouping, ...(param === undefined ? {} : { param }) }
}

function eachBinary(expr: Binary, label: string): Expr | undefined {
  const [left, right] = [eachOf(expr.left, label), eachOf(expr.right, label)]
  if (left === undefined || right === undefined) return undefined
  const { matching } = expr
  if (matching === undefined) return { ...expr, left, right }
  // The other side's value would replace the own one.
  if (matching.include.includes(label)) return undefined
  const labels = matching.isOn ? withLabel(matching.labels, label) : without(matching.labels, label)
  return { ...expr, left, right, matching: { ...matching, labels } }
}

function withLabel(names: readonly string[], label: string): readonly string[] {
  return names.includes(label) ? names : [...names, label]
}

function without(names: readonly string[], label: string): readonly string[] {
  return names.filter((name) => name !== label)
}

function isText(expr: Expr | undefined, text: string): boolean {
  return expr?.kind === 'string' && expr.value === text
}
