/**
 * Which labels the series of an expression may have, from the metric catalogue and the operators alone. "May": a label
 * that is not in the set is never there, one that is in it can be absent all the same.
 */
import { METRIC_NAME } from '../../model/labels.ts'
import { isSetOp, unwrapParens } from '../../promql/ast.ts'
import type { Binary, Call, Expr, VectorSelector } from '../../promql/ast.ts'
import { labelsOfMetric } from '../metrics/metric-catalog.ts'
import type { MetricCatalog } from '../metrics/metric-catalog.ts'

export interface LabelSet {
  /** Names, and beginnings of names that end with `*`. */
  readonly names: ReadonlySet<string>
  /** Any other label may be there too, apart from `gone`. */
  readonly isOpen: boolean
  readonly gone: ReadonlySet<string>
}

const NONE: LabelSet = { names: new Set(), isOpen: false, gone: new Set() }
const ANY: LabelSet = { names: new Set(), isOpen: true, gone: new Set() }

export function mayHave({ names, isOpen, gone }: LabelSet, label: string): boolean {
  if (gone.has(label)) return false
  if (isOpen || names.has(label)) return true
  return [...names].some((name) => name.endsWith('*') && label.startsWith(name.slice(0, -1)))
}

export function labelSetOf(expr: Expr, metrics: MetricCatalog): LabelSet {
  switch (expr.kind) {
    case 'number':
    case 'string':
      return NONE
    case 'vector':
      return labelSetOfSelector(expr, metrics)
    case 'matrix':
      return labelSetOf(expr.selector, metrics)
    case 'subquery':
    case 'unary':
    case 'paren':
      return labelSetOf(expr.expr, metrics)
    case 'call':
      return ofCall(expr, metrics)
    case 'aggregate': {
      const inner = labelSetOf(expr.expr, metrics)
      if (LIMITERS.has(expr.op)) return inner
      const kept = expr.isWithout ? without(inner, expr.grouping) : only(inner, expr.grouping)
      const counted = expr.param === undefined ? undefined : unwrapParens(expr.param)
      return expr.op === 'count_values' && counted?.kind === 'string' ? plus(kept, [counted.value]) : kept
    }
    case 'binary':
      return ofBinary(expr, metrics)
  }
}

/** They choose among series and leave their labels alone. */
const LIMITERS: ReadonlySet<string> = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio'])

/** Labels a selector's series may have. Unknown metrics, and those that carry the labels of others, may have any. */
export function labelSetOfSelector(selector: VectorSelector, metrics: MetricCatalog): LabelSet {
  const name = metricOf(selector)
  const metric = name === undefined ? undefined : metrics.find(name)
  if (metric === undefined || metric.labels.includes('*') || OPEN_METRICS.has(metric.name)) return ANY
  return { names: new Set([METRIC_NAME, ...labelsOfMetric(metric)]), isOpen: false, gone: new Set() }
}

const OPEN_METRICS: ReadonlySet<string> = new Set(['ALERTS', 'ALERTS_FOR_STATE', 'up'])

/** The metric a selector asks for by its whole name. */
export function metricOf({ matchers }: VectorSelector): string | undefined {
  return matchers.find(({ name, op, value }) => name === METRIC_NAME && op === '=' && value !== '')?.value
}

const NO_LABELS: ReadonlySet<string> = new Set(['vector', 'scalar', 'time', 'pi'])

function ofCall(call: Call, metrics: MetricCatalog): LabelSet {
  const { func, args } = call
  if (NO_LABELS.has(func)) return NONE
  if (func === 'info') return ANY
  if (func === 'absent' || func === 'absent_over_time') return ofAbsent(args[0])
  const vector = args.find((arg) => !['number', 'string'].includes(unwrapParens(arg).kind))
  const inner = vector === undefined ? NONE : labelSetOf(vector, metrics)
  if (func === 'histogram_quantile' || func === 'histogram_fraction')
    return without(labelSetOf(args.at(-1)!, metrics), ['le'])
  const made = func === 'label_replace' || func === 'label_join' ? args[1] : undefined
  return made !== undefined && unwrapParens(made).kind === 'string'
    ? plus(inner, [(unwrapParens(made) as { readonly value: string }).value])
    : inner
}

/** `absent` has the labels that its selector fixes, and no others. */
function ofAbsent(arg: Expr | undefined): LabelSet {
  const inner = arg === undefined ? undefined : unwrapParens(arg)
  const selector = inner?.kind === 'matrix' ? inner.selector : inner
  if (selector?.kind !== 'vector') return NONE
  const fixed = selector.matchers.filter(({ name, op, value }) => op === '=' && name !== METRIC_NAME && value !== '')
  return plus(
    NONE,
    fixed.map(({ name }) => name),
  )
}

function ofBinary({ op, left, right, matching }: Binary, metrics: MetricCatalog): LabelSet {
  const [ofLeft, ofRight] = [labelSetOf(left, metrics), labelSetOf(right, metrics)]
  if (isScalar(left)) return ofRight
  if (isScalar(right) || matching === undefined) return ofLeft
  if (op === 'or') return union(ofLeft, ofRight)
  if (isSetOp(op)) return ofLeft
  switch (matching.card) {
    case 'many-to-one':
      return plus(ofLeft, matching.include)
    case 'one-to-many':
      return plus(ofRight, matching.include)
    case 'one-to-one':
    case 'many-to-many':
      return matching.isOn ? only(ofLeft, matching.labels) : without(ofLeft, matching.labels)
  }
}

function isScalar(expr: Expr): boolean {
  const inner = unwrapParens(expr)
  if (inner.kind === 'binary') return isScalar(inner.left) && isScalar(inner.right)
  if (inner.kind === 'unary') return isScalar(inner.expr)
  return inner.kind === 'number' || (inner.kind === 'call' && ['scalar', 'time', 'pi'].includes(inner.func))
}

function only(set: LabelSet, labels: readonly string[]): LabelSet {
  return { names: new Set(labels.filter((label) => mayHave(set, label))), isOpen: false, gone: new Set() }
}

function without(set: LabelSet, labels: readonly string[]): LabelSet {
  const gone = new Set([...set.gone, ...labels, METRIC_NAME])
  return { names: new Set([...set.names].filter((name) => !gone.has(name))), isOpen: set.isOpen, gone }
}

function plus(set: LabelSet, labels: readonly string[]): LabelSet {
  const gone = new Set([...set.gone].filter((label) => !labels.includes(label)))
  return { names: new Set([...set.names, ...labels]), isOpen: set.isOpen, gone }
}

function union(a: LabelSet, b: LabelSet): LabelSet {
  const gone = new Set(
    [...a.gone].filter((label) => !mayHave(b, label)).concat([...b.gone].filter((label) => !mayHave(a, label))),
  )
  return { names: new Set([...a.names, ...b.names]), isOpen: a.isOpen || b.isOpen, gone }
}
