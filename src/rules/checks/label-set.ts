/**
 * The labels that the series of an expression may have, derived from the metric catalogue and the operators. A label
 * outside the set is never present; a label in the set may be absent.
 */
import { METRIC_NAME } from '../../model/labels.ts'
import { isSetOp, unwrapParens, type Binary, type Call, type Expr, type VectorSelector } from '../../promql/ast.ts'
import { labelsOfMetric, metricCatalogOf, type MetricCatalog } from '../metrics/metric-catalog.ts'
import type { KnownMetric } from '../metrics/metric-catalog.ts'
import type { PlacedRule } from './rule-content.ts'

export interface LabelSet {
  /** Names, or prefixes that end with `*`. */
  readonly names: ReadonlySet<string>
  /** Any label outside `removed` may be present too. */
  readonly isOpen: boolean
  readonly removed: ReadonlySet<string>
}

const NONE: LabelSet = { names: new Set(), isOpen: false, removed: new Set() }
const ANY: LabelSet = { names: new Set(), isOpen: true, removed: new Set() }

export function mayHave({ names, isOpen, removed }: LabelSet, label: string): boolean {
  if (removed.has(label)) return false
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
      const grouped = expr.isWithout ? without(inner, expr.grouping) : only(inner, expr.grouping)
      const counted = expr.param === undefined ? undefined : unwrapParens(expr.param)
      return expr.op === 'count_values' && counted?.kind === 'string' ? plus(grouped, [counted.value]) : grouped
    }
    case 'binary':
      return ofBinary(expr, metrics)
  }
}

/** These operators select series and do not change their labels. */
const LIMITERS: ReadonlySet<string> = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio'])

/** Labels of a selector's series. Unknown metrics, and metrics with the labels of other series, may have any label. */
export function labelSetOfSelector(selector: VectorSelector, metrics: MetricCatalog): LabelSet {
  const name = metricOf(selector)
  const metric = name === undefined ? undefined : metrics.find(name)
  if (metric === undefined || metric.labels.includes('*') || OPEN_METRICS.has(metric.name)) return ANY
  return { names: new Set([METRIC_NAME, ...labelsOfMetric(metric)]), isOpen: false, removed: new Set() }
}

const OPEN_METRICS: ReadonlySet<string> = new Set(['ALERTS', 'ALERTS_FOR_STATE', 'up'])

/** The metric name of a selector, when a matcher has the whole name. */
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

/** `absent` has exactly the labels of its selector's equality matchers. */
function ofAbsent(arg: Expr | undefined): LabelSet {
  const inner = arg === undefined ? undefined : unwrapParens(arg)
  const selector = inner?.kind === 'matrix' ? inner.selector : inner
  if (selector?.kind !== 'vector') return NONE
  const fixed = selector.matchers.filter(({ name, op, value }) => op === '=' && name !== METRIC_NAME && value !== '')
  const names = fixed.map(({ name }) => name)
  return plus(NONE, names)
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
  return { names: new Set(labels.filter((label) => mayHave(set, label))), isOpen: false, removed: new Set() }
}

function without(set: LabelSet, labels: readonly string[]): LabelSet {
  const removed = new Set([...set.removed, ...labels, METRIC_NAME])
  return { names: new Set([...set.names].filter((name) => !removed.has(name))), isOpen: set.isOpen, removed }
}

function plus(set: LabelSet, labels: readonly string[]): LabelSet {
  const removed = new Set([...set.removed].filter((label) => !labels.includes(label)))
  return { names: new Set([...set.names, ...labels]), isOpen: set.isOpen, removed }
}

function union(a: LabelSet, b: LabelSet): LabelSet {
  const removed = new Set(
    [...a.removed].filter((label) => !mayHave(b, label)).concat([...b.removed].filter((label) => !mayHave(a, label))),
  )
  return { names: new Set([...a.names, ...b.names]), isOpen: a.isOpen || b.isOpen, removed }
}

/** Recorded series may be computed from recorded series, to this depth. */
const DEPTH_MAX = 5

/**
 * The catalogue with the metrics that the rules record, whose labels follow from the expressions. `own` are this server's
 * metrics. A metric that rules in the clusters also record has the labels of both.
 */
export function catalogWithRecorded(rules: readonly PlacedRule[], own: readonly KnownMetric[]): MetricCatalog {
  const recording = rules.filter(({ kind, query }) => kind === 'recording' && query.expr !== undefined)
  const sent = metricCatalogOf(own)
  let catalog = metricCatalogOf([...recording.map(({ name }) => anyLabels(name)), ...own])
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const before = catalog
    const byName = new Map<string, KnownMetric>()
    for (const rule of recording) {
      const was = byName.get(rule.name) ?? sent.find(rule.name)
      byName.set(rule.name, recordedBy(rule, was, before))
    }
    catalog = metricCatalogOf([...byName.values(), ...own])
  }
  return catalog
}

function anyLabels(name: string): KnownMetric {
  return { name, type: 'recorded', labels: ['*'], isWhole: true }
}

function recordedBy(rule: PlacedRule, was: KnownMetric | undefined, catalog: MetricCatalog): KnownMetric {
  const set = labelSetOf(rule.query.expr!, catalog)
  if (set.isOpen) return anyLabels(rule.name)
  const labels = [...new Set([...set.names, ...rule.labels.keys(), ...(was?.labels ?? [])])]
  return {
    name: rule.name,
    type: 'recorded',
    labels: was === undefined || was.isWhole === true ? labels : [...labels, ...labelsOfMetric(was)],
    isWhole: true,
  }
}
