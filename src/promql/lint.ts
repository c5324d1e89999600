import type { Diagnostic } from '../model/diagnostic.ts'
import { METRIC_NAME } from '../model/labels.ts'
import { childrenOf, unwrapParens, type Aggregate, type Expr, type VectorSelector } from './ast.ts'
import { quoteGo } from '../base/go-quote.ts'
import { formatGoFloat } from '../base/go-float.ts'

/**
 * Finds expressions that are valid and rarely intended. Each finding is a warning with its position, for authors of
 * rules; query results do not include them.
 */
export function lint(expr: Expr): Diagnostic[] {
  const found = CHECKS.flatMap((check) => check(expr))
  return [...found, ...childrenOf(expr).flatMap(lint)].sort((a, b) => a.from - b.from)
}

type Check = (expr: Expr) => Diagnostic[]

const CHECKS: readonly Check[] = [rateOfNoCounter, rateOfSum, lostBuckets, impossibleQuantile, needlessRegex]

const RATES: ReadonlySet<string> = new Set(['rate', 'irate', 'increase'])
const COUNTER_NAME = /_(total|sum|count|bucket)$/

/** Prometheus reports the same with a result; this reports it before the query runs. */
function rateOfNoCounter(expr: Expr): Diagnostic[] {
  if (expr.kind !== 'call' || !RATES.has(expr.func)) return []
  const [range] = expr.args.map(unwrapParens)
  if (range?.kind !== 'matrix') return []
  const name = nameOf(range.selector)
  if (name === undefined || COUNTER_NAME.test(name)) return []
  const message = `metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ${quoteGo(name)}`
  return [warning(range.selector, message, `${expr.func} is for values that only rise; delta and deriv are for others`)]
}

function rateOfSum(expr: Expr): Diagnostic[] {
  if (expr.kind !== 'call' || !RATES.has(expr.func)) return []
  const [range] = expr.args.map(unwrapParens)
  if (range?.kind !== 'subquery') return []
  const inner = unwrapParens(range.expr)
  if (inner.kind !== 'aggregate') return []
  const help = `take ${expr.func} of each series first, then ${inner.op} over the results`
  return [warning(expr, `${expr.func} of ${inner.op}: the sum hides counter resets of its series`, help)]
}

/** Only for classic buckets: a native histogram has no `le`. */
function lostBuckets(expr: Expr): Diagnostic[] {
  if (expr.kind !== 'call' || (expr.func !== 'histogram_quantile' && expr.func !== 'histogram_fraction')) return []
  const inner = unwrapParens(expr.args.at(-1) ?? expr)
  if (inner.kind !== 'aggregate' || keepsBuckets(inner) || !readsBuckets(inner)) return []
  const help = `aggregate with by (le${inner.isWithout ? '' : inner.grouping.map((name) => `, ${name}`).join('')})`
  return [warning(inner, `${expr.func} needs the label "le", which this aggregation drops`, help)]
}

function keepsBuckets({ isWithout, grouping }: Aggregate): boolean {
  return isWithout !== grouping.includes('le')
}

function readsBuckets(expr: Expr): boolean {
  if (expr.kind === 'vector') return nameOf(expr)?.endsWith('_bucket') === true
  return childrenOf(expr).some(readsBuckets)
}

function impossibleQuantile(expr: Expr): Diagnostic[] {
  const param = quantileOf(expr)
  if (param?.kind !== 'number' || (param.value >= 0 && param.value <= 1)) return []
  return [warning(param, `quantile value should be between 0 and 1, got ${formatGoFloat(param.value, 'g')}`)]
}

const QUANTILE_FIRST: ReadonlySet<string> = new Set(['histogram_quantile', 'quantile_over_time'])

function quantileOf(expr: Expr): Expr | undefined {
  if (expr.kind === 'aggregate' && expr.op === 'quantile') return expr.param
  return expr.kind === 'call' && QUANTILE_FIRST.has(expr.func) ? expr.args.map(unwrapParens)[0] : undefined
}

function needlessRegex(expr: Expr): Diagnostic[] {
  if (expr.kind !== 'vector') return []
  return expr.matchers
    .filter(({ op, value }) => (op === '=~' || op === '!~') && value !== '' && /^[\w :/@-]*$/.test(value))
    .map(({ name, op, value }) => {
      const help = `${name}${op === '=~' ? '=' : '!='}${quoteGo(value)} is equivalent`
      return warning(expr, `${name}${op}${quoteGo(value)} is not a pattern`, help)
    })
}

function nameOf({ matchers }: VectorSelector): string | undefined {
  return matchers.find(({ name, op }) => name === METRIC_NAME && op === '=')?.value
}

function warning({ from, to }: Expr, message: string, help?: string): Diagnostic {
  return { severity: 'warning', message, from, to, ...(help === undefined ? {} : { help }) }
}
