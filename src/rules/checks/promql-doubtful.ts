import { lint } from '../../promql/lint.ts'
import { metricNamesOf } from '../../promql/ast.ts'
import { COUNTER_FUNCTIONS } from './rate-of-gauge.ts'
import type { Check } from './check.ts'
import type { RuleContent } from './rule-content.ts'
import { at, visit } from './visit.ts'

export const promqlDoubtful: Check<RuleContent> = {
  name: 'promql-doubtful',
  title: 'An expression is allowed and seldom meant',
  severity: 'warning',
  why: 'The rate of a sum hides when one of its counters begins anew, an aggregation may drop the `le` that a quantile needs, a pattern without a pattern in it is slower than an equality. PromQL takes all of these without a word.',
  mend: 'Write what the help says, or suppress the check with the reason why it is meant.',
  example: 'expr: rate(sum by (cluster) (kubevirt_vmi_sync_total)[5m:])',
  *run({ queries, metrics }) {
    for (const query of queries) {
      if (query.expr === undefined) continue
      // The type of a metric in the catalogue is known: rate-of-gauge reports it, and the name alone is no proof.
      const known = new Set<number>()
      visit(query.expr, (node) => {
        if (node.kind !== 'call' || !COUNTER_FUNCTIONS.has(node.func)) return
        const [name] = metricNamesOf(node)
        const [range] = node.args
        if (name !== undefined && metrics.find(name) !== undefined && range?.kind === 'matrix')
          known.add(range.selector.from)
      })
      for (const { from, to, message, help } of lint(query.expr)) {
        if (known.has(from) && message.includes('might not be a counter')) continue
        // A variable or a placeholder with one value looks like a pattern without a pattern.
        if (query.source !== 'rule' && message.endsWith('is no pattern')) continue
        yield at(query, { from, to }, message, help)
      }
    }
  },
}
