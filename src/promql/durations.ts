import type { DurationArithmetic, DurationExpr, Expr, VectorSelector } from './ast.ts'
import { formatDuration } from '../model/duration.ts'
import { formatGoFloat } from '../base/go-float.ts'
import { ARITHMETIC } from './evaluate/operators.ts'
import { refuse } from './promql-error.ts'

/** Arithmetic on durations (experimental in Prometheus): evaluation and formatting. */

/** The values of `step()` and `range()`. */
export interface QueryWindow {
  /** 0 in an instant query. */
  readonly stepMs: number
  readonly rangeMs: number
}

/** The maximum of 64-bit nanoseconds, in seconds, as in Prometheus. */
export const DURATION_SECONDS_MAX = 2 ** 63 / 1e9

/** Whether a duration depends on its query. */
export function isOfQuery(expr: DurationExpr): boolean {
  if ('expr' in expr) return isOfQuery(expr.expr)
  if (expr.kind === 'arithmetic') return isOfQuery(expr.left) || isOfQuery(expr.right)
  return expr.kind !== 'literal'
}

/** Whole milliseconds, truncated as in Prometheus. Throws `PromqlError` at the invalid part. */
export function durationMsOf(expr: DurationExpr, mayBeNegative: boolean, text: string, window: QueryWindow): number {
  const seconds = secondsOf(expr, text, window)
  if (seconds <= 0 && !mayBeNegative) refuse(text, expr.from, expr.to, 'duration must be greater than 0')
  if (!(Math.abs(seconds) <= DURATION_SECONDS_MAX)) refuse(text, expr.from, expr.to, 'duration is out of range')
  return Math.trunc(seconds * 1000) + 0
}

function secondsOf(expr: DurationExpr, text: string, window: QueryWindow): number {
  switch (expr.kind) {
    case 'literal':
      return expr.seconds
    case 'step':
      return window.stepMs / 1000
    case 'range':
      return window.rangeMs / 1000
    case 'negation':
      return -secondsOf(expr.expr, text, window)
    case 'paren':
      return secondsOf(expr.expr, text, window)
    case 'arithmetic':
      return computed(expr, text, window)
  }
}

function computed({ op, left, right, from, to }: DurationArithmetic, text: string, window: QueryWindow): number {
  const a = secondsOf(left, text, window)
  const b = secondsOf(right, text, window)
  if (op === 'min_of') return Math.min(a, b)
  if (op === 'max_of') return Math.max(a, b)
  if (b === 0 && op === '/') refuse(text, from, to, 'division by zero')
  if (b === 0 && op === '%') refuse(text, from, to, 'modulo by zero')
  return ARITHMETIC[op](a, b)
}

/** Formatted as in Prometheus. */
export function formatDurationExpr(expr: DurationExpr): string {
  switch (expr.kind) {
    case 'literal':
      return expr.isDuration ? formatDuration(Math.round(expr.seconds * 1000)) : formatGoFloat(expr.seconds, 'f')
    case 'step':
    case 'range':
      return `${expr.kind}()`
    case 'negation':
      return `-${formatDurationExpr(expr.expr)}`
    case 'paren':
      return `(${formatDurationExpr(expr.expr)})`
    case 'arithmetic': {
      const left = formatDurationExpr(expr.left)
      const right = formatDurationExpr(expr.right)
      const isCall = expr.op === 'min_of' || expr.op === 'max_of'
      return isCall ? `${expr.op}(${left}, ${right})` : `${left} ${expr.op} ${right}`
    }
  }
}

/**
 * The tree with all durations resolved; the same tree when none depends on the query. Throws `PromqlError` for an
 * invalid result.
 */
export function resolveDurations(expr: Expr, text: string, window: QueryWindow): Expr {
  const resolve = (part: Expr): Expr => resolveDurations(part, text, window)
  const ms = (duration: DurationExpr | undefined, knownMs: number, mayBeNegative: boolean): number =>
    duration !== undefined && isOfQuery(duration) ? durationMsOf(duration, mayBeNegative, text, window) : knownMs
  switch (expr.kind) {
    case 'number':
    case 'string':
      return expr
    case 'vector':
      return resolvedSelector(expr, text, window)
    case 'matrix': {
      const selector = resolvedSelector(expr.selector, text, window)
      const rangeMs = ms(expr.rangeExpr, expr.rangeMs, false)
      return changed(expr, { selector, rangeMs })
    }
    case 'subquery': {
      const inner = resolve(expr.expr)
      const offsetMs = ms(expr.offsetExpr, expr.offsetMs, true)
      const rangeMs = ms(expr.rangeExpr, expr.rangeMs, false)
      const step = expr.stepMs === undefined ? {} : { stepMs: ms(expr.stepExpr, expr.stepMs, false) }
      return changed(expr, { expr: inner, offsetMs, rangeMs, ...step })
    }
    case 'unary':
    case 'paren':
      return changed(expr, { expr: resolve(expr.expr) })
    case 'binary':
      return changed(expr, { left: resolve(expr.left), right: resolve(expr.right) })
    case 'call': {
      const args = expr.args.map(resolve)
      return args.every((arg, i) => arg === expr.args[i]) ? expr : changed(expr, { args: Object.freeze(args) })
    }
    case 'aggregate': {
      const param = expr.param === undefined ? {} : { param: resolve(expr.param) }
      return changed(expr, { ...param, expr: resolve(expr.expr) })
    }
  }
}

function resolvedSelector(selector: VectorSelector, text: string, window: QueryWindow): VectorSelector {
  const { offsetExpr } = selector
  if (offsetExpr === undefined || !isOfQuery(offsetExpr)) return selector
  return changed(selector, { offsetMs: durationMsOf(offsetExpr, true, text, window) })
}

/** The node with changed parts; the same node when the parts are the same. */
function changed<T extends Expr>(node: T, parts: Partial<T>): T {
  const keys = Object.keys(parts) as (keyof T)[]
  if (keys.every((key) => Object.is(node[key], parts[key]))) return node
  const next: T = { ...node, ...parts }
  Object.freeze(next)
  return next
}
