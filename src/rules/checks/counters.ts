/** Checks of counters that are used like gauges, and of gauges that are used like counters. */
import { metricNamesOf, selectorsOf, unwrapParens, type Expr, type VectorSelector } from '../../promql/ast.ts'
import type { KnownMetric } from '../metrics/metric-catalog.ts'
import type { Check } from './check.ts'
import { metricOf } from './label-set.ts'
import type { RuleContent } from './rule-content.ts'
import { at, nameIn, nodesOf, selectorsIn } from './visit.ts'

export const counterWithoutRate: Check<RuleContent> = {
  name: 'counter-without-rate',
  title: 'A counter is used without rate',
  severity: 'warning',
  why: 'A counter counts since the start of its process: it resets at each restart, and once above a threshold it stays above. `delta` and `deriv` do not handle restarts.',
  fix: 'Apply `increase` or `rate` first. Ignored are: a check that the series exists, the first increment of a new counter (`x != 0 unless x offset 10m`, `increase(x[1h]) and x offset 1h or x`), live cells of a runbook that show the value, and counters that contain a time or a percentage (gauges in fact).',
  example: 'expr: sum by (cluster) (kubevirt_vmi_guest_os_panic_total) > 5',
  *run({ queries, metrics }) {
    for (const { query, selector, above } of selectorsIn(queries)) {
      // The caption of a cell states the start of its count, and the reader wants to watch the count itself.
      if (query.source === 'cell' || query.source === 'fence') continue
      const name = metricOf(selector) ?? ''
      const metric = metrics.find(name)
      if (metric?.type !== 'counter' || isGaugeInTruth(metric) || isHandled(selector, above)) continue
      const help = 'increase(...[5m]) is what was added, rate(...[5m]) how fast'
      yield at(query, nameIn(selector, name), `${name} is a counter, and its value is used as it is`, help)
    }
  },
}

/** Functions that return the growth of a counter, or whether its series exists. */
const HANDLES: ReadonlySet<string> = new Set([
  ...['rate', 'irate', 'increase', 'resets', 'changes', 'timestamp'],
  ...['absent', 'absent_over_time', 'present_over_time', 'count_over_time', 'first_over_time'],
])
const COUNTS: ReadonlySet<string> = new Set(['count', 'group'])

function isHandled(selector: VectorSelector, above: readonly Expr[]): boolean {
  let below: Expr = selector
  for (const node of above) {
    if (node.kind === 'call' && HANDLES.has(node.func)) return true
    if (node.kind === 'aggregate' && COUNTS.has(node.op)) return true
    // On the right side of these operators only the existence of the series matters.
    if (node.kind === 'binary' && (node.op === 'and' || node.op === 'unless') && node.right === below) return true
    if (node.kind === 'binary' && node.op === 'unless' && node.left === below && isBirth(selector, node.right))
      return true
    if (node.kind === 'binary' && node.op === 'or' && node.right === below && isBirth(selector, node.left)) return true
    below = node
  }
  return false
}

/** Whether the other side selects the same metric at an earlier time: `unless`, or `... and x offset 1h or x`. */
function isBirth(selector: VectorSelector, before: Expr): boolean {
  return selectorsOf(unwrapParens(before)).some(
    (other) => metricOf(other) === metricOf(selector) && (other.offsetMs > 0 || before.kind === 'call'),
  )
}

/** These functions treat a decrease as a counter reset. */
export const COUNTER_FUNCTIONS: ReadonlySet<string> = new Set(['rate', 'irate', 'increase', 'resets'])

export const rateOfGauge: Check<RuleContent> = {
  name: 'rate-of-gauge',
  title: 'A function for counters is used on a gauge',
  severity: 'error',
  why: '`rate` and `increase` interpret each decrease as a restart and add the whole value again, so the result for a gauge is meaningless. Some metrics have the type counter and contain a time (`..._last_transition_timestamp_seconds`) or a percentage: the check treats them as gauges.',
  fix: 'Use `delta`, `deriv` or `changes`, or compare the value itself.',
  example: 'expr: rate(kubevirt_vmi_number_of_outdated[5m]) > 0',
  *run({ queries, metrics }) {
    for (const { query, node } of nodesOf(queries)) {
      if (node.kind !== 'call' || !COUNTER_FUNCTIONS.has(node.func) || node.func === 'resets') continue
      const [range] = node.args
      const metric = range?.kind === 'matrix' ? metrics.find(metricNamesOf(range)[0] ?? '') : undefined
      if (metric?.type !== 'gauge' && !isGaugeInTruth(metric)) continue
      const message = `${node.func} of ${metric.name}, which is a gauge`
      yield at(query, node, message, 'delta and changes are for gauges')
    }
  },
}

/** A metric with the type of a counter that is a time or a percentage. */
function isGaugeInTruth(metric: KnownMetric | undefined): metric is KnownMetric {
  return metric?.type === 'counter' && (metric.unit === 'unix_seconds' || metric.unit === 'percent')
}
