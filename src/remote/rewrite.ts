/**
 * Queries in the form that a store has: parts of the language that it does not have, or understands differently, are replaced by
 * equal ones. Every change is exact: the result is that of the original query. Pure.
 */
import { METRIC_NAME } from '../model/labels.ts'
import { compileMatcher, type Matcher } from '../model/matcher.ts'
import { childrenOf, type Call, type Expr, type VectorSelector } from '../promql/ast.ts'

export interface Rewriting {
  /** Of the whole query, in milliseconds; the step of an instant query is 0. */
  readonly startMs: number
  readonly endMs: number
  readonly stepMs: number
  /** Written into subqueries without one: the default of the store may be another. */
  readonly subqueryStepMs: number
  /** Ranges of the store include both ends: they are written a millisecond shorter, which times cannot be between. */
  readonly closesRanges: boolean
  /** Added to every selector. */
  readonly scope: Matcher | undefined
  /** Numbers are written without units. */
  readonly hasPlainNumbers: boolean
  /** For MetricsQL; absent: the store has PromQL. */
  readonly metricsQl?: { readonly hasChangesPrometheus: boolean }
}

/** Functions after which MetricsQL keeps the name of the metric, and PromQL does not. */
const KEEPS_NAME: ReadonlySet<string> = new Set([
  ...['avg_over_time', 'max_over_time', 'min_over_time', 'quantile_over_time', 'predict_linear'],
  ...['ceil', 'floor', 'round', 'clamp', 'clamp_max', 'clamp_min'],
])

/** The same object when nothing was changed. */
export function rewritten(expr: Expr, rewriting: Rewriting): Expr {
  const inner = (part: Expr): Expr => rewritten(part, rewriting)
  switch (expr.kind) {
    case 'number':
      return expr.isDuration && rewriting.hasPlainNumbers ? { ...expr, isDuration: false } : expr
    case 'string':
      return expr
    case 'vector':
      return selector(expr, rewriting)
    case 'matrix': {
      const inside = selector(expr.selector, rewriting)
      const rangeMs = rewriting.closesRanges && expr.rangeMs > 1 ? expr.rangeMs - 1 : expr.rangeMs
      if (inside === expr.selector && rangeMs === expr.rangeMs && expr.rangeExpr === undefined) return expr
      const { kind, from, to } = expr
      return { kind, from, to, selector: inside, rangeMs }
    }
    case 'subquery': {
      const { rangeExpr, stepExpr, offsetExpr, ...rest } = expr
      const inside = modifiedInParens(inner(expr.expr), rewriting)
      const rangeMs = rewriting.closesRanges && expr.rangeMs > 1 ? expr.rangeMs - 1 : expr.rangeMs
      const isPlain = rangeExpr === undefined && stepExpr === undefined && offsetExpr === undefined
      if (inside === expr.expr && isPlain && rangeMs === expr.rangeMs && expr.stepMs !== undefined) return expr
      return { ...rest, expr: inside, rangeMs, stepMs: expr.stepMs ?? rewriting.subqueryStepMs }
    }
    case 'call':
      return constantOf(expr, rewriting) ?? inMetricsQl(withArgs(expr, inner), rewriting)
    case 'aggregate': {
      const [inside, param] = [inner(expr.expr), expr.param && inner(expr.param)]
      if (inside === expr.expr && param === expr.param) return expr
      return { ...expr, expr: inside, ...(param === undefined ? {} : { param }) }
    }
    case 'binary': {
      const [left, right] = [inner(expr.left), inner(expr.right)]
      return left === expr.left && right === expr.right ? expr : { ...expr, left, right }
    }
    case 'unary':
    case 'paren': {
      const inside = inner(expr.expr)
      return inside === expr.expr ? expr : { ...expr, expr: inside }
    }
  }
}

/** MetricsQL reads `x @ 0 [5m:1m]` as `@` of the subquery. */
function modifiedInParens(expr: Expr, { metricsQl }: Rewriting): Expr {
  const isModified = expr.kind === 'vector' && (expr.at !== undefined || expr.offsetMs !== 0)
  return metricsQl === undefined || !isModified ? expr : { kind: 'paren', expr, from: expr.from, to: expr.to }
}

/** The function with the meaning of PromQL. A factor of 1 changes no value, and drops the name. */
function inMetricsQl(expr: Call, { metricsQl }: Rewriting): Expr {
  if (metricsQl === undefined) return expr
  if (expr.func === 'changes' && metricsQl.hasChangesPrometheus) return { ...expr, func: 'changes_prometheus' }
  if (!KEEPS_NAME.has(expr.func)) return expr
  const { from, to } = expr
  const one: Expr = { kind: 'number', value: 1, isDuration: false, from, to }
  return { kind: 'paren', from, to, expr: { kind: 'binary', op: '*', left: expr, right: one, isBool: false, from, to } }
}

function withArgs(expr: Call, inner: (part: Expr) => Expr): Call {
  const args = expr.args.map(inner)
  return args.every((arg, i) => arg === expr.args[i]) ? expr : { ...expr, args }
}

/** Functions of the query's own times, which are numbers once it runs. */
function constantOf({ func, args, from, to }: Call, { startMs, endMs, stepMs }: Rewriting): Expr | undefined {
  if (args.length > 0) return undefined
  const valueMs = new Map([
    ['start', startMs],
    ['end', endMs],
    ['step', stepMs],
    ['range', endMs - startMs],
  ]).get(func)
  return valueMs === undefined ? undefined : { kind: 'number', value: valueMs / 1000, isDuration: false, from, to }
}

function selector(expr: VectorSelector, { scope }: Rewriting): VectorSelector {
  const { offsetExpr, ...rest } = expr
  const plain = offsetExpr === undefined ? expr : rest
  if (scope === undefined || isInScope(expr, scope)) return plain
  return { ...plain, matchers: [...expr.matchers, scope] }
}

/** Whether the selector has one cluster of the scope already: the matcher of the scope would change nothing. */
function isInScope({ matchers }: VectorSelector, scope: Matcher): boolean {
  const matches = compileMatcher(scope)
  return matchers.some(({ name, op, value }) => name === scope.name && op === '=' && value !== '' && matches(value))
}

/**
 * Whether the matcher of a scope can be added without another change of the answer. `info` finds other series by itself, and
 * `absent` makes labels of matchers.
 */
export function canAddScope(expr: Expr, scope: Matcher): boolean {
  if (expr.kind === 'call') {
    if (expr.func === 'info') return false
    if (expr.func === 'absent' || expr.func === 'absent_over_time') {
      const inside = selectorIn(expr.args[0]!)
      if (inside?.matchers.some(({ name }) => name === scope.name) === true && !isInScope(inside, scope)) return false
    }
  }
  return childrenOf(expr).every((part) => canAddScope(part, scope))
}

function selectorIn(expr: Expr): VectorSelector | undefined {
  if (expr.kind === 'vector') return expr
  if (expr.kind === 'matrix') return expr.selector
  return expr.kind === 'paren' ? selectorIn(expr.expr) : undefined
}

/** Whether a selector may select series of one of these names. */
export function maySelect({ matchers }: Pick<VectorSelector, 'matchers'>, names: readonly string[]): boolean {
  const tests = matchers.filter(({ name }) => name === METRIC_NAME).map((matcher) => compileMatcher(matcher))
  return names.some((name) => tests.every((matches) => matches(name)))
}
