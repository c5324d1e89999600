/** The differences that are known. `bench/README.md` has the counts of the comparison that they are from. */
import { isComparison, selectorsOf, type Expr } from '../promql/ast.ts'
import { typeOf } from '../promql/check.ts'
import type { Difference } from './differences.ts'
import type { StoreTraits } from './traits.ts'

const isMetricsQl = (traits: StoreTraits): boolean => traits.isMetricsQl
/** The language of Prometheus 2. */
const isOlder = (traits: StoreTraits): boolean => !traits.isMetricsQl && !traits.isLeftOpen
const isOther = (traits: StoreTraits): boolean => isMetricsQl(traits) || isOlder(traits)

const calls =
  (...names: readonly string[]) =>
  (node: Expr): boolean =>
    node.kind === 'call' && names.includes(node.func)
const aggregates =
  (...names: readonly string[]) =>
  (node: Expr): boolean =>
    node.kind === 'aggregate' && names.includes(node.op)

export const DIFFERENCES: readonly Difference[] = [
  {
    id: 'lookback-end',
    has: isOlder,
    affects: (node, { parent }) => node.kind === 'vector' && parent?.kind !== 'matrix',
    effect: 'shown',
    text: 'also shows a series whose newest sample is exactly as old as the lookback',
  },
  {
    id: 'extrapolation',
    has: isOlder,
    affects: calls('rate', 'increase', 'delta'),
    effect: 'shown',
    text: 'extrapolates rate, increase and delta over a range that is 1 ms shorter, and further back for counters that start near zero',
  },
  {
    id: 'compensation',
    has: isOlder,
    affects: (node) => aggregates('sum', 'avg')(node) || calls('avg_over_time')(node),
    effect: 'shown',
    text: 'adds floats without compensation, so sums and averages of values of very different size are less exact',
  },
  {
    id: 'infinities',
    has: isOlder,
    affects: aggregates('avg', 'stddev', 'stdvar'),
    effect: 'shown',
    text: 'computes other averages and deviations of infinities and NaN',
  },
  {
    id: 'many-matches',
    has: isOther,
    affects: (node) =>
      node.kind === 'binary' &&
      isComparison(node.op) &&
      !node.isBool &&
      node.matching?.card === 'one-to-one' &&
      typeOf(node.left) === 'vector' &&
      typeOf(node.right) === 'vector',
    effect: 'shown',
    text: 'does not refuse a comparison that has several matches for a series, if it keeps at most one of them',
  },
  {
    id: 'atan2-name',
    has: isOlder,
    affects: (node) => node.kind === 'binary' && node.op === 'atan2',
    effect: 'values',
    text: 'keeps the name of the metric after atan2',
  },
  {
    id: 'negated-names',
    has: isOther,
    affects: (node) => node.kind === 'unary' && node.op === '-' && !haveOneName(node.expr),
    effect: 'values',
    text: 'refuses the negation of series that differ in their name only at different times',
  },
  {
    id: 'classic-fraction',
    has: isOlder,
    affects: calls('histogram_fraction'),
    effect: 'values',
    text: 'has histogram_fraction of native histograms only',
  },
  {
    id: 'line-break',
    has: isOther,
    affects: (node) =>
      (node.kind === 'vector' && node.matchers.some(({ op, value }) => /~/.test(op) && DOT.test(value))) ||
      calls('label_replace')(node),
    effect: 'shown',
    text: 'does not let a dot in a regular expression match a line break',
  },
  {
    id: 'nan',
    has: isMetricsQl,
    affects: (node) => node.kind === 'vector',
    effect: 'shown',
    isOfStorage: true,
    text: 'stores neither NaN nor the sign of zero, and returns no NaN',
  },
  {
    id: 'stale-markers',
    has: isMetricsQl,
    affects: (node, { parent }) => node.kind === 'matrix' && (parent === undefined || parent.kind === 'paren'),
    effect: 'values',
    text: 'returns stale markers as samples of a range',
  },
  {
    id: 'computed-timestamp',
    has: isMetricsQl,
    affects: (node) => node.kind === 'call' && node.func === 'timestamp' && node.args[0]?.kind !== 'vector',
    effect: 'values',
    text: 'returns the time of a sample as the timestamp of a computed value',
  },
  {
    id: 'gaps',
    has: isMetricsQl,
    affects: (node, { parent, isStepped }) => node.kind === 'vector' && parent?.kind !== 'matrix' && isStepped,
    effect: 'shown',
    text: 'ends a series in a range query after some missing samples, before the lookback is over',
  },
  {
    id: 'sample-before',
    has: isMetricsQl,
    affects: calls('rate', 'increase', 'delta', 'irate', 'idelta'),
    effect: 'shown',
    text: 'computes rate, increase, delta, irate and idelta from the last sample before the range, and does not extrapolate',
  },
  {
    id: 'resets-before',
    has: isMetricsQl,
    affects: calls('resets'),
    effect: 'values',
    text: 'counts the reset between the last sample before the range and the first one in it',
  },
  {
    id: 'changes-before',
    has: (traits) => traits.isMetricsQl && traits.lacks.has('changes_prometheus'),
    affects: calls('changes'),
    effect: 'values',
    text: 'counts the change between the last sample before the range and the first one in it',
  },
  {
    id: 'half',
    has: isMetricsQl,
    affects: calls('round'),
    effect: 'shown',
    text: 'rounds halves away from zero, and Prometheus up',
  },
  {
    id: 'absent-labels',
    has: isMetricsQl,
    affects: (node) => calls('absent', 'absent_over_time')(node) && hasRepeatedLabel(node),
    effect: 'values',
    text: 'adds labels that are matched several times to the result of absent',
  },
  {
    id: 'bucket-interpolation',
    has: isMetricsQl,
    affects: calls('histogram_quantile'),
    effect: 'shown',
    text: 'interpolates negative buckets and buckets that do not rise differently in histogram_quantile',
  },
  {
    id: 'float-rounding',
    has: isMetricsQl,
    affects: (node) =>
      aggregates('sum', 'avg', 'stddev', 'stdvar')(node) || calls('avg_over_time', 'sum_over_time')(node),
    effect: 'shown',
    text: 'adds floats without compensation, so sums and averages of values of very different size are less exact',
  },
  {
    id: 'same-labels',
    has: isMetricsQl,
    affects: (node) =>
      calls('label_replace', 'label_join')(node) ||
      (node.kind === 'call' && node.args.some((arg) => !haveOneName(arg))),
    effect: 'shown',
    text: 'keeps one of several results with the same labels instead of refusing the query',
  },
  {
    id: 'short-range',
    has: isMetricsQl,
    affects: (node) => (node.kind === 'matrix' || node.kind === 'subquery') && node.rangeMs < SHORT_RANGE_MS,
    effect: 'shown',
    text: 'widens ranges that are shorter than the interval between samples',
  },
  {
    id: 'fixed-prediction',
    has: isMetricsQl,
    affects: (node) => calls('predict_linear')(node) && selectorsOf(node).some(({ at }) => at !== undefined),
    effect: 'values',
    text: 'predicts from the time of @ and not from that of the query',
  },
  {
    id: 'crossed-bounds',
    has: isMetricsQl,
    affects: calls('clamp', 'clamp_min', 'clamp_max'),
    effect: 'shown',
    text: 'returns values of clamp where the bounds are crossed or NaN',
  },
  {
    id: 'nan-parameter',
    has: isMetricsQl,
    affects: aggregates('topk', 'bottomk', 'quantile'),
    effect: 'shown',
    text: 'accepts parameters that are NaN or too large',
  },
  {
    id: 'chosen-series',
    has: isMetricsQl,
    affects: aggregates('limitk'),
    effect: 'values',
    text: 'chooses other series in limitk',
  },
]

/** Usual intervals between samples are shorter. */
const SHORT_RANGE_MS = 120_000
const DOT = /(?:^|[^\\])(?:\\\\)*\./

/** Whether all selected series have one name. */
function haveOneName(expr: Expr): boolean {
  return selectorsOf(expr).every(({ matchers }) => matchers.some(({ name, op }) => name === '__name__' && op === '='))
}

function hasRepeatedLabel(expr: Expr): boolean {
  return selectorsOf(expr).some(({ matchers }) => new Set(matchers.map(({ name }) => name)).size < matchers.length)
}
