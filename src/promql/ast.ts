import type { Matcher } from '../model/matcher.ts'

/**
 * The tree of a PromQL expression. Nodes are frozen; `from` (inclusive) and `to` (exclusive) are character offsets into
 * the text that was parsed. Durations and times are milliseconds.
 */
export type Expr =
  NumberLiteral | StringLiteral | VectorSelector | MatrixSelector | Subquery | Call | Aggregate | Binary | Unary | Paren

/** What an expression evaluates to. */
export type ValueType = 'scalar' | 'string' | 'vector' | 'matrix'

interface Node {
  readonly from: number
  readonly to: number
}

interface NumberLiteral extends Node {
  readonly kind: 'number'
  readonly value: number
  /** Written with units (`5m`), so printed as a duration. The value is in seconds in either case. */
  readonly isDuration: boolean
}

export interface StringLiteral extends Node {
  readonly kind: 'string'
  readonly value: string
}

/** The time after `@`: a fixed time, or an end of the query's own range. */
export type AtTime = { readonly kind: 'time'; readonly timeMs: number } | { readonly kind: 'start' | 'end' }

export interface VectorSelector extends Node {
  readonly kind: 'vector'
  /** The name written before or as the first string inside the braces; its matcher is the last of `matchers`. */
  readonly metric?: string
  readonly matchers: readonly Matcher[]
  /** Positive offsets are into the past. */
  readonly offsetMs: number
  /** Present when `offsetMs` was written as arithmetic. */
  readonly offsetExpr?: DurationExpr
  readonly at?: AtTime
  readonly extension?: Extension
}

/**
 * How samples just outside a window count: `anchored` uses the last sample before the window as its start, `smoothed`
 * interpolates to the samples around it. Both search within the lookback.
 */
export type Extension = 'anchored' | 'smoothed'

/** `selector[range]`; `offset`, `@` and the extension are on the selector. */
export interface MatrixSelector extends Node {
  readonly kind: 'matrix'
  readonly selector: VectorSelector
  readonly rangeMs: number
  /** Present when `rangeMs` was written as arithmetic. */
  readonly rangeExpr?: DurationExpr
}

export interface Subquery extends Node {
  readonly kind: 'subquery'
  readonly expr: Expr
  readonly rangeMs: number
  readonly rangeExpr?: DurationExpr
  /** Absent: the engine's default step. */
  readonly stepMs?: number
  readonly stepExpr?: DurationExpr
  readonly offsetMs: number
  readonly offsetExpr?: DurationExpr
  readonly at?: AtTime
}

/**
 * Arithmetic on durations, in seconds. Durations that do not depend on the query's step or range are computed by the
 * parser; the others have NaN milliseconds until `resolveDurations` sets them.
 */
export type DurationExpr = DurationLiteral | DurationOfQuery | DurationNegation | DurationParen | DurationArithmetic

export interface DurationLiteral extends Node {
  readonly kind: 'literal'
  readonly seconds: number
  /** Written with units. */
  readonly isDuration: boolean
}

/** `step()` and `range()` of the whole query; both are 0 in an instant query. */
interface DurationOfQuery extends Node {
  readonly kind: 'step' | 'range'
}

interface DurationNegation extends Node {
  readonly kind: 'negation'
  readonly expr: DurationExpr
}

interface DurationParen extends Node {
  readonly kind: 'paren'
  readonly expr: DurationExpr
}

export interface DurationArithmetic extends Node {
  readonly kind: 'arithmetic'
  readonly op: DurationOp
  readonly left: DurationExpr
  readonly right: DurationExpr
}

export type DurationOp = '+' | '-' | '*' | '/' | '%' | '^' | 'min_of' | 'max_of'

export interface Call extends Node {
  readonly kind: 'call'
  readonly func: string
  readonly args: readonly Expr[]
}

export interface Aggregate extends Node {
  readonly kind: 'aggregate'
  readonly op: AggregateOp
  /** `topk(param, expr)` and its like. */
  readonly param?: Expr
  readonly expr: Expr
  readonly grouping: readonly string[]
  readonly isWithout: boolean
}

export interface Binary extends Node {
  readonly kind: 'binary'
  readonly op: BinaryOp
  readonly left: Expr
  readonly right: Expr
  readonly isBool: boolean
  /** Only between two vectors. */
  readonly matching?: VectorMatching
}

export interface VectorMatching {
  readonly card: 'one-to-one' | 'many-to-one' | 'one-to-many' | 'many-to-many'
  /** `on(labels)`; otherwise `ignoring(labels)`, which is also the meaning without a clause. */
  readonly isOn: boolean
  readonly labels: readonly string[]
  /** Labels that `group_left` / `group_right` copies from the one side. */
  readonly include: readonly string[]
  /**
   * `fill_left`: the value for a missing left series of a right one. With `group_right` it fills series of the many
   * side, which is the right one, as in Prometheus; `fillRight` fills the other side.
   */
  readonly fillLeft?: number
  readonly fillRight?: number
}

export interface Unary extends Node {
  readonly kind: 'unary'
  readonly op: '+' | '-'
  readonly expr: Expr
}

interface Paren extends Node {
  readonly kind: 'paren'
  readonly expr: Expr
}

export const ARITHMETIC_OPS = ['+', '-', '*', '/', '%', '^', 'atan2'] as const
export const COMPARISON_OPS = ['==', '!=', '<=', '<', '>=', '>'] as const
export const SET_OPS = ['and', 'or', 'unless'] as const
/** Operators that keep the observations of a histogram below or above a value. */
const TRIM_OPS = ['</', '>/'] as const
export type ArithmeticOp = (typeof ARITHMETIC_OPS)[number]
export type ComparisonOp = (typeof COMPARISON_OPS)[number]
export type SetOp = (typeof SET_OPS)[number]
export type TrimOp = (typeof TRIM_OPS)[number]
export type BinaryOp = ArithmeticOp | ComparisonOp | SetOp | TrimOp

/** Arithmetic operators drop the metric name. */
export function isArithmetic(op: BinaryOp): op is ArithmeticOp {
  return (ARITHMETIC_OPS as readonly string[]).includes(op)
}

export function isComparison(op: BinaryOp): op is ComparisonOp {
  return (COMPARISON_OPS as readonly string[]).includes(op)
}

export function isSetOp(op: BinaryOp): op is SetOp {
  return (SET_OPS as readonly string[]).includes(op)
}

export function isTrim(op: BinaryOp): op is TrimOp {
  return (TRIM_OPS as readonly string[]).includes(op)
}

/** Aggregations, and whether they take a parameter before the vector. */
export const AGGREGATE_OPS = {
  sum: false,
  min: false,
  max: false,
  avg: false,
  count: false,
  group: false,
  stddev: false,
  stdvar: false,
  topk: true,
  bottomk: true,
  quantile: true,
  count_values: true,
  limitk: true,
  limit_ratio: true,
} as const
export type AggregateOp = keyof typeof AGGREGATE_OPS

export const EXPERIMENTAL_AGGREGATE_OPS: ReadonlySet<AggregateOp> = new Set(['limitk', 'limit_ratio'])

/** The expression inside any number of parentheses. */
export function unwrapParens(expr: Expr): Expr {
  let inner = expr
  while (inner.kind === 'paren') inner = inner.expr
  return inner
}

/** The direct parts of a node, in source order. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'vector':
      return []
    case 'matrix':
      return [expr.selector]
    case 'subquery':
    case 'unary':
    case 'paren':
      return [expr.expr]
    case 'call':
      return expr.args
    case 'aggregate':
      return expr.param === undefined ? [expr.expr] : [expr.param, expr.expr]
    case 'binary':
      return [expr.left, expr.right]
  }
}

/** Every vector selector in the expression, in source order. */
export function selectorsOf(expr: Expr): VectorSelector[] {
  return expr.kind === 'vector' ? [expr] : childrenOf(expr).flatMap(selectorsOf)
}

/** The metric names that an expression selects by name, sorted, without repeats; regex matchers are not included. */
export function metricNamesOf(expr: Expr): string[] {
  const names = selectorsOf(expr).flatMap((selector) =>
    selector.matchers
      .filter((matcher) => matcher.name === '__name__' && matcher.op === '=' && matcher.value !== '')
      .map((matcher) => matcher.value),
  )
  return [...new Set(names)].sort()
}
