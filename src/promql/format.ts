import { formatDuration } from '../model/duration.ts'
import { METRIC_NAME } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type {
  Aggregate,
  AtTime,
  Binary,
  DurationExpr,
  Expr,
  Extension,
  Subquery,
  VectorMatching,
  VectorSelector,
} from './ast.ts'
import { formatDurationExpr } from './durations.ts'
import { formatPlain } from './number-format.ts'
import { quote } from './literals.ts'

/** An expression as Prometheus formats it, on one line, as in `rules[].query`. Parsing it gives the same tree. */
export function formatExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return expr.isDuration ? formatDuration(Math.round(expr.value * 1000)) : formatPlain(expr.value)
    case 'string':
      return quote(expr.value)
    case 'vector':
      return `${formatSeries(expr)}${formatTimes(expr)}`
    case 'matrix':
      return `${formatSeries(expr.selector)}[${formatSpan(expr.rangeMs, expr.rangeExpr)}]${formatTimes(expr.selector)}`
    case 'subquery':
      return `${formatExpr(expr.expr)}${formatSubqueryTail(expr)}`
    case 'call':
      return `${expr.func}(${expr.args.map(formatExpr).join(', ')})`
    case 'aggregate': {
      const param = expr.param === undefined ? '' : `${formatExpr(expr.param)}, `
      return `${formatAggregateHead(expr)}(${param}${formatExpr(expr.expr)})`
    }
    case 'unary':
      return `${expr.op}${formatExpr(expr.expr)}`
    case 'paren':
      return `(${formatExpr(expr.expr)})`
    case 'binary':
      return `${formatExpr(expr.left)} ${formatOperator(expr)} ${formatExpr(expr.right)}`
  }
}

/** `[5m:1m] offset 1h`. */
export function formatSubqueryTail(expr: Subquery): string {
  const step = expr.stepMs === undefined ? '' : formatSpan(expr.stepMs, expr.stepExpr)
  return `[${formatSpan(expr.rangeMs, expr.rangeExpr)}:${step}]${formatTimes(expr)}`
}

/** The text before the parentheses: `sum by (job) `. */
export function formatAggregateHead({ op, grouping, isWithout }: Aggregate): string {
  const labels = formatLabelNames(grouping)
  return `${op}${isWithout ? ` without (${labels}) ` : grouping.length > 0 ? ` by (${labels}) ` : ''}`
}

/** The operator with its modifiers: `> bool on (job) group_left (team)`. */
export function formatOperator({ op, isBool, matching }: Binary): string {
  let text: string = isBool ? `${op} bool` : op
  if (matching === undefined) return text
  const isGrouped = matching.card === 'many-to-one' || matching.card === 'one-to-many'
  if (matching.labels.length > 0 || matching.isOn || isGrouped) {
    text += ` ${matching.isOn ? 'on' : 'ignoring'} (${formatLabelNames(matching.labels)})`
  }
  if (isGrouped) {
    const side = matching.card === 'many-to-one' ? 'group_left' : 'group_right'
    text += ` ${side} (${formatLabelNames(matching.include)})`
  }
  return text + formatFills(matching)
}

function formatFills({ fillLeft, fillRight }: VectorMatching): string {
  if (fillLeft !== undefined && Object.is(fillLeft, fillRight)) return ` fill (${formatPlain(fillLeft)})`
  const left = fillLeft === undefined ? '' : ` fill_left (${formatPlain(fillLeft)})`
  return fillRight === undefined ? left : `${left} fill_right (${formatPlain(fillRight)})`
}

function formatSeries({ metric, matchers }: VectorSelector): string {
  const shown = matchers
    .filter((matcher) => !(matcher.name === METRIC_NAME && matcher.op === '=' && matcher.value === metric))
    .map(formatMatcher)
    .sort()
  const braces = shown.length > 0 || metric === undefined ? `{${shown.join(',')}}` : ''
  return `${metric ?? ''}${braces}`
}

function formatMatcher({ name, op, value }: Matcher): string {
  return `${formatLabelName(name)}${op}${quote(value)}`
}

function formatLabelName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : quote(name)
}

function formatLabelNames(names: readonly string[]): string {
  return names.map(formatLabelName).join(', ')
}

/** A duration as written: a number, or arithmetic. */
function formatSpan(spanMs: number, expr: DurationExpr | undefined): string {
  return expr === undefined ? formatDuration(spanMs) : formatDurationExpr(expr)
}

interface Times {
  readonly at?: AtTime
  readonly offsetMs: number
  readonly offsetExpr?: DurationExpr
  readonly extension?: Extension
}

function formatTimes({ at, offsetMs, offsetExpr, extension }: Times): string {
  const extended = extension === undefined ? '' : ` ${extension}`
  const instant = at === undefined ? '' : ` @ ${at.kind === 'time' ? (at.timeMs / 1000).toFixed(3) : `${at.kind}()`}`
  const offset = offsetMs === 0 && offsetExpr === undefined ? '' : ` offset ${formatSpan(offsetMs, offsetExpr)}`
  return `${extended}${instant}${offset}`
}
