import { selectorsOf, unwrapParens, type Expr, type VectorSelector } from '../../promql/ast.ts'
import type { MetricCatalog } from '../metrics/metric-catalog.ts'
import type { Check, CheckFinding } from './check.ts'
import { metricOf } from './label-set.ts'
import type { RuleContent } from './rule-content.ts'
import { at, isSelector, visitQueries } from './visit.ts'

export const counterWithoutRate: Check<RuleContent> = {
  name: 'counter-without-rate',
  title: 'The value of a counter is used as it is',
  severity: 'warning',
  why: 'A counter says how much there has been since a process began: it drops to nothing with each restart, and above a threshold it stays for ever. `delta` and `deriv` do not know of the restarts either.',
  mend: 'Take `increase` or `rate` of it first. Two uses are right as they are and not told: asking whether the series is there, and the birth of a counter (`x != 0 unless x offset 10m`, `increase(x[1h]) and x offset 1h or x`). In a runbook a live cell may show the number itself. Counters that hold a time or a percentage are gauges in truth and not told.',
  example: 'expr: sum by (cluster) (kubevirt_vmi_guest_os_panic_total) > 5',
  run({ queries, metrics }) {
    const found: CheckFinding[] = []
    visitQueries(queries, (query, node, above) => {
      // The caption of a cell states the start of its count, and the reader wants to watch the count itself.
      if (query.source === 'cell' || query.source === 'fence') return
      if (!isSelector(node) || !isCounter(node, metrics) || isHandled(node, above)) return
      const name = metricOf(node)!
      const help = 'increase(...[5m]) is what was added, rate(...[5m]) how fast'
      found.push(
        at(
          query,
          { from: node.from, to: node.from + name.length },
          `${name} is a counter, and its value is used as it is`,
          help,
        ),
      )
    })
    return found
  },
}

function isCounter(selector: VectorSelector, metrics: MetricCatalog): boolean {
  const metric = metrics.find(metricOf(selector) ?? '')
  return metric?.type === 'counter' && metric.unit !== 'unix_seconds' && metric.unit !== 'percent'
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
