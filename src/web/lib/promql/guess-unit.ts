import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { selectorOfNode } from './selectors.ts'

/**
 * Guesses the unit of an expression from the names of its metrics and its operations: a rate of bytes is bytes per second,
 * bytes divided by bytes are a share, a count of series is a number. Pure. The reader can choose another unit.
 */

/** The unit that senders report for a metric family; empty or `undefined`: none. */
export type ReportedUnit = (metric: string) => string | undefined

/** A unit of Perses; `undefined`: not known. */
export function guessUnit(expr: string, reportedUnit: ReportedUnit = () => undefined): string | undefined {
  const root = parser.parse(expr).topNode.firstChild
  const measure = root === null ? undefined : measureOf(root, { expr, reportedUnit })
  return measure === undefined ? undefined : unitOf(measure)
}

interface Measure {
  /** A unit of Perses, `count`, or `number`: a literal. */
  readonly base: string
  readonly isPerSecond: boolean
  /** What is counted. */
  readonly noun?: string
}

interface Text {
  readonly expr: string
  readonly reportedUnit: ReportedUnit
}

const COUNT: Measure = { base: 'count', isPerSecond: false }
const SHARE: Measure = { base: 'percent-decimal', isPerSecond: false }
const NUMBER: Measure = { base: 'number', isPerSecond: false }

function unitOf({ base, isPerSecond, noun = 'counts' }: Measure): string {
  if (base === 'count' || base === 'number') return isPerSecond ? `${noun}/sec` : 'decimal'
  if (!isPerSecond) return base
  return base === 'bytes' || base === 'bits' ? `${base}/sec` : 'decimal'
}

function measureOf(node: SyntaxNode, text: Text): Measure | undefined {
  switch (node.name) {
    case 'VectorSelector':
      return measureOfMetric(selectorOfNode(node, text.expr).metric, text.reportedUnit)
    case 'NumberDurationLiteral':
      return NUMBER
    case 'AggregateExpr':
      return measureOfAggregate(node, text)
    case 'FunctionCall':
      return measureOfCall(node, text)
    case 'BinaryExpr':
      return measureOfPair(node, text)
    default: {
      // Parentheses, signs, offsets and ranges have the unit of their operand.
      const inner = partsOf(node)[0]
      return inner === undefined ? undefined : measureOf(inner, text)
    }
  }
}

const EXPRESSIONS = new Set(
  'AggregateExpr BinaryExpr FunctionCall MatrixSelector NumberDurationLiteral OffsetExpr AnchoredExpr SmoothedExpr ParenExpr StringLiteral SubqueryExpr UnaryExpr VectorSelector StepInvariantExpr'.split(
    ' ',
  ),
)

/** The operands of a node. */
function partsOf(node: SyntaxNode): readonly SyntaxNode[] {
  const parts: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (EXPRESSIONS.has(child.name)) parts.push(child)
    else if (child.name === 'FunctionCallBody') parts.push(...partsOf(child))
  }
  return parts
}

const COUNTING_AGGREGATES = new Set(['count', 'count_values', 'group'])

function measureOfAggregate(node: SyntaxNode, text: Text): Measure | undefined {
  const operator = node.getChild('AggregateOp')
  const name = operator === null ? '' : text.expr.slice(operator.from, operator.to).toLowerCase()
  if (COUNTING_AGGREGATES.has(name)) return COUNT
  if (name === 'stdvar') return undefined
  // A parameter precedes the operand.
  const inner = partsOf(node).at(-1)
  return inner === undefined ? undefined : measureOf(inner, text)
}

const PER_SECOND = new Set(['rate', 'irate', 'deriv'])
const NUMBERS_OF_THINGS = new Set(
  'count_over_time changes resets absent absent_over_time present_over_time histogram_count day_of_month day_of_week day_of_year days_in_month hour minute month year'.split(
    ' ',
  ),
)
const SHARES = new Set(['histogram_fraction'])
const MOMENTS = new Set(['time', 'timestamp', 'ts_of_last_over_time', 'ts_of_max_over_time', 'ts_of_min_over_time'])
/** Their result has another unit, or none. */
const OTHERS = new Set(
  'exp ln log2 log10 sqrt sgn stdvar_over_time acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh pi deg rad'.split(
    ' ',
  ),
)
/** Their operand is the last argument. */
const LAST_ARGUMENT = new Set(['histogram_quantile', 'quantile_over_time'])
/** Their result has the unit of the histogram's observations. */
const OF_OBSERVATIONS = new Set(['histogram_quantile', 'histogram_avg', 'histogram_stddev'])

function measureOfCall(node: SyntaxNode, text: Text): Measure | undefined {
  const identifier = node.getChild('FunctionIdentifier')
  const name = identifier === null ? '' : text.expr.slice(identifier.from, identifier.to)
  if (NUMBERS_OF_THINGS.has(name)) return COUNT
  if (SHARES.has(name)) return SHARE
  if (MOMENTS.has(name)) return { base: 'datetime-local', isPerSecond: false }
  if (OTHERS.has(name)) return undefined
  const parts = partsOf(node)
  const inner = LAST_ARGUMENT.has(name) ? parts.at(-1) : parts[0]
  if (inner === undefined) return undefined
  const measure = measureOf(inner, text)
  if (measure === undefined) return undefined
  if (PER_SECOND.has(name)) return { ...measure, isPerSecond: true }
  if (name === 'histogram_sum' || OF_OBSERVATIONS.has(name)) return observedOf(inner, text)
  return measure
}

/** The rate of a histogram counts observations per second; the observations have the unit of the metric's name. */
function observedOf(node: SyntaxNode, text: Text): Measure | undefined {
  let found: Measure | undefined
  node.cursor().iterate(({ name, node: part }) => {
    if (name !== 'VectorSelector' || found !== undefined) return
    found = measureOfMetric(selectorOfNode(part, text.expr).metric.replace(/_bucket$/, ''), text.reportedUnit)
  })
  return found
}

const COMPARISONS = new Set('Eql Neq Gtr Lss Gte Lte And Unless Mod TrimUpper TrimLower'.split(' '))

function measureOfPair(node: SyntaxNode, text: Text): Measure | undefined {
  const [left, right] = partsOf(node)
  if (left === undefined || right === undefined) return undefined
  const operator = left.nextSibling?.name ?? ''
  const hasBool = node.getChild('BoolModifier')?.getChild('Bool') ?? null
  if (hasBool !== null) return COUNT
  const [a, b] = [measureOf(left, text), measureOf(right, text)]
  if (COMPARISONS.has(operator)) return a
  switch (operator) {
    case 'Or':
      return a ?? b
    case 'Add':
    case 'Sub':
      return isMoment(a) && isMoment(b) ? { base: 'seconds', isPerSecond: false } : larger(a, b)
    case 'Mul':
      return product(a, b, text.expr.slice(right.from, right.to))
    case 'Div':
      return quotient(a, b)
    default:
      return undefined
  }
}

function isMoment(measure: Measure | undefined): boolean {
  return measure?.base === 'datetime-local'
}

/** A literal has the unit of the other operand. */
function larger(a: Measure | undefined, b: Measure | undefined): Measure | undefined {
  return a === undefined || a.base === 'number' ? (b ?? a) : a
}

function product(a: Measure | undefined, b: Measure | undefined, rightText: string): Measure | undefined {
  if (a?.base === 'percent-decimal' && rightText === '100') return { base: 'percent', isPerSecond: false }
  if (a === undefined || b === undefined) return undefined
  if (a.base === 'number' || a.base === 'percent-decimal') return b
  if (b.base === 'number' || b.base === 'percent-decimal') return a
  return undefined
}

function quotient(a: Measure | undefined, b: Measure | undefined): Measure | undefined {
  if (a === undefined || b === undefined) return undefined
  if (b.base === 'number') return a.base === 'number' ? NUMBER : undefined
  if (a.base === b.base && a.isPerSecond === b.isPerSecond) return SHARE
  if (b.base === 'count') return { ...a, isPerSecond: a.isPerSecond && !b.isPerSecond }
  return undefined
}

/** Suffixes of names, longer before shorter. */
const ENDINGS: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/_timestamp(?:_seconds)?$|_created$/, 'datetime-local'],
  [/_nanoseconds$/, 'nanoseconds'],
  [/_(?:milliseconds|ms)$/, 'milliseconds'],
  [/_seconds$/, 'seconds'],
  [/_minutes$/, 'minutes'],
  [/_hours$/, 'hours'],
  [/_days$/, 'days'],
  [/_bytes$/, 'bytes'],
  [/_bits$/, 'bits'],
  [/_ratio$/, 'percent-decimal'],
  [/_percent(?:age)?$/, 'percent'],
  [/_celsius$/, 'celsius'],
]

const REPORTED: Readonly<Record<string, string>> = {
  s: 'seconds',
  seconds: 'seconds',
  ms: 'milliseconds',
  milliseconds: 'milliseconds',
  by: 'bytes',
  bytes: 'bytes',
  ratio: 'percent-decimal',
  percent: 'percent',
  celsius: 'celsius',
}

const NOUN = /_(events|messages|packets|reads|records|requests|rows|writes)(?:_total)?$/

function measureOfMetric(metric: string, reportedUnit: ReportedUnit): Measure | undefined {
  const family = metric.replace(/_(?:total|sum)$/, '')
  if (/_(?:count|bucket)$/.test(metric)) return COUNT
  const unit =
    ENDINGS.find(([ending]) => ending.test(family))?.[1] ?? REPORTED[(reportedUnit(metric) ?? '').toLowerCase()]
  if (unit !== undefined) return { base: unit, isPerSecond: false }
  const noun = NOUN.exec(metric)?.[1]
  if (noun !== undefined) return { ...COUNT, noun }
  return metric.endsWith('_total') ? COUNT : undefined
}
