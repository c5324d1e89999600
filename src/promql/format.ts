import { formatDuration } from '../model/duration.ts'
import { METRIC_NAME } from '../model/labels.ts'
import type { Aggregate, Binary, DurationExpr, Expr, Subquery, VectorMatching, VectorSelector } from './ast.ts'
import { formatDurationExpr } from './durations.ts'
import { formatGoFloat } from '../base/go-float.ts'
import { quoteGo } from '../base/go-quote.ts'

/** An expression as Prometheus formats it, on one line, as in `rules[].query`. Parsing it gives the same tree. */
export function formatExpr(expr: Expr): string {
  return formatNode(expr, formatExpr)
}

/** One node, with the given texts for its parts. A range selector is one node. */
export function formatNode(expr: Expr, textOf: (part: Expr) => string): string {
  switch (expr.kind) {
    case 'number':
      return expr.isDuration ? formatDuration(Math.round(expr.value * 1000)) : formatGoFloat(expr.value, 'f')
    case 'string':
      return quoteGo(expr.value)
    case 'vector':
      return `${formatSeries(expr)}${formatTimes(expr)}`
    case 'matrix':
      return `${formatSeries(expr.selector)}[${formatSpan(expr.rangeMs, expr.rangeExpr)}]${formatTimes(expr.selector)}`
    case 'subquery':
      return `${textOf(expr.expr)}${formatSubqueryTail(expr)}`
    case 'call':
      return `${expr.func}(${expr.args.map((arg) => textOf(arg)).join(', ')})`
    case 'aggregate': {
      const param = expr.param === undefined ? '' : `${textOf(expr.param)}, `
      return `${formatAggregateHead(expr)}(${param}${textOf(expr.expr)})`
    }
    case 'unary':
      return `${expr.op}${textOf(expr.expr)}`
    case 'paren':
      return `(${textOf(expr.expr)})`
    case 'binary':
      return `${textOf(expr.left)} ${formatOperator(expr)} ${textOf(expr.right)}`
  }
}

/** `[5m:1m] offset 1h`. */
function formatSubqueryTail(expr: Subquery): string {
  const step = expr.stepMs === undefined ? '' : formatSpan(expr.stepMs, expr.stepExpr)
  return `[${formatSpan(expr.rangeMs, expr.rangeExpr)}:${step}]${formatTimes(expr)}`
}

/** The text before the parentheses: `sum by (job) `. */
function formatAggregateHead({ op, grouping, isWithout }: Aggregate): string {
  const labels = formatLabelNames(grouping)
  return `${op}${isWithout ? ` without (${labels}) ` : grouping.length > 0 ? ` by (${labels}) ` : ''}`
}

/** The operator with its modifiers: `> bool on (job) group_left (team)`. */
function formatOperator({ op, isBool, matching }: Binary): string {
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
  if (fillLeft !== undefined && Object.is(fillLeft, fillRight)) return ` fill (${formatGoFloat(fillLeft, 'f')})`
  const left = fillLeft === undefined ? '' : ` fill_left (${formatGoFloat(fillLeft, 'f')})`
  return fillRight === undefined ? left : `${left} fill_right (${formatGoFloat(fillRight, 'f')})`
}

function formatSeries({ metric, matchers }: VectorSelector): string {
  const shown = matchers
    .filter((matcher) => !(matcher.name === METRIC_NAME && matcher.op === '=' && matcher.value === metric))
    .map(({ name, op, value }) => `${formatLabelName(name)}${op}${quoteGo(value)}`)
    .sort()
  const braces = shown.length > 0 || metric === undefined ? `{${shown.join(',')}}` : ''
  return `${metric ?? ''}${braces}`
}

function formatLabelName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : quoteGo(name)
}

function formatLabelNames(names: readonly string[]): string {
  return names.map(formatLabelName).join(', ')
}

/** A duration as written: a number, or arithmetic. */
function formatSpan(spanMs: number, expr: DurationExpr | undefined): string {
  return expr === undefined ? formatDuration(spanMs) : formatDurationExpr(expr)
}

function formatTimes({ at, offsetMs, offsetExpr, extension }: Omit<VectorSelector, 'kind' | 'matchers'>): string {
  const extended = extension === undefined ? '' : ` ${extension}`
  const instant = at === undefined ? '' : ` @ ${at.kind === 'time' ? (at.timeMs / 1000).toFixed(3) : `${at.kind}()`}`
  const offset = offsetMs === 0 && offsetExpr === undefined ? '' : ` offset ${formatSpan(offsetMs, offsetExpr)}`
  return `${extended}${instant}${offset}`
}

/** Parts longer than this many bytes are split, each piece on its own line. */
const LINE_BYTES_MAX = 100

/** An expression over several lines, formatted like Prometheus' `/format_query`. Parsing it gives the same tree. */
export function prettyExpr(expr: Expr): string {
  const lengths = new Map<Expr, number>()
  measureBytes(expr, lengths)
  return pretty(expr, 0, lengths)
}

/** The bytes of each part on one line, without formatting any part twice: a sum of many terms is a deep tree. */
function measureBytes(expr: Expr, lengths: Map<Expr, number>): number {
  let bytes = 0
  const own = formatNode(expr, (part) => {
    bytes += measureBytes(part, lengths)
    return ''
  })
  bytes += Buffer.byteLength(own)
  lengths.set(expr, bytes)
  return bytes
}

function pretty(expr: Expr, level: number, lengths: ReadonlyMap<Expr, number>): string {
  const indent = '  '.repeat(level)
  const fits = lengths.get(expr)! <= LINE_BYTES_MAX
  const line = fits || isLeaf(expr) ? formatExpr(expr) : ''
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'vector':
    case 'matrix':
      return indent + line
    case 'subquery':
      // As in Prometheus, a part that fits is not indented.
      return fits ? line : `${pretty(expr.expr, level, lengths)}${formatSubqueryTail(expr)}`
    case 'unary':
      return `${indent}${expr.op}${pretty(expr.expr, level, lengths).trim()}`
    case 'paren':
      return fits ? indent + line : `${indent}(\n${pretty(expr.expr, level + 1, lengths)}\n${indent})`
    case 'call':
      return fits ? indent + line : `${indent}${expr.func}(\n${prettyList(expr.args, level + 1, lengths)}\n${indent})`
    case 'aggregate': {
      if (fits) return indent + line
      const parts = expr.param === undefined ? [expr.expr] : [expr.param, expr.expr]
      return `${indent}${formatAggregateHead(expr)}(\n${prettyList(parts, level + 1, lengths)}\n${indent})`
    }
    case 'binary':
      if (fits) return indent + line
      return `${pretty(expr.left, level + 1, lengths)}\n${indent}${formatOperator(expr)}\n${pretty(expr.right, level + 1, lengths)}`
  }
}

function prettyList(parts: readonly Expr[], level: number, lengths: ReadonlyMap<Expr, number>): string {
  return parts.map((part) => pretty(part, level, lengths)).join(',\n')
}

/** Printed on one line, whatever its length. */
function isLeaf({ kind }: Expr): boolean {
  return kind === 'number' || kind === 'string' || kind === 'vector' || kind === 'matrix'
}
