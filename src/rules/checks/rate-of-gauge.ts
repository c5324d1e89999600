import { metricNamesOf } from '../../promql/ast.ts'
import type { Check, CheckFinding } from './check.ts'
import type { RuleContent } from './rule-content.ts'
import { at, visitQueries } from './visit.ts'

/** These functions treat a decrease as a counter reset. */
export const COUNTER_FUNCTIONS: ReadonlySet<string> = new Set(['rate', 'irate', 'increase', 'resets'])

export const rateOfGauge: Check<RuleContent> = {
  name: 'rate-of-gauge',
  title: 'A function for counters is used on a gauge',
  severity: 'error',
  why: '`rate` and `increase` take each fall of the value for a restart and add the whole value again: of a gauge that goes up and down they make a number that means nothing. Some metrics are typed as counters and hold a time (`..._last_transition_timestamp_seconds`) or a percentage: those count as gauges here.',
  mend: 'Use `delta`, `deriv` or `changes`, or compare the value itself.',
  example: 'expr: rate(kubevirt_vmi_number_of_outdated[5m]) > 0',
  run({ queries, metrics }) {
    const found: CheckFinding[] = []
    visitQueries(queries, (query, node) => {
      if (node.kind !== 'call' || !COUNTER_FUNCTIONS.has(node.func) || node.func === 'resets') return
      const [range] = node.args
      if (range?.kind !== 'matrix') return
      const [name] = metricNamesOf(range)
      const metric = name === undefined ? undefined : metrics.find(name)
      if (metric === undefined) return
      const isGauge = metric.type === 'gauge' || (metric.type === 'counter' && TIMES.has(metric.unit ?? ''))
      if (isGauge)
        found.push(
          at(query, node, `${node.func} of ${metric.name}, which is a gauge`, 'delta and changes are for gauges'),
        )
    })
    return found
  },
}

const TIMES: ReadonlySet<string> = new Set(['unix_seconds', 'percent'])
