/** Checks of PromQL itself: expressions that do not parse, and constructs that are seldom meant. */
import { metricNamesOf } from '../../promql/ast.ts'
import { lint } from '../../promql/lint.ts'
import type { Check } from './check.ts'
import { COUNTER_FUNCTIONS } from './counters.ts'
import { fromDiagnostic, type RuleContent } from './rule-content.ts'
import { at, nodesOf } from './visit.ts'

export const promqlInvalid: Check<RuleContent> = {
  name: 'promql-invalid',
  title: 'PromQL in a runbook or panel does not parse',
  severity: 'error',
  why: 'The live cell or panel shows an error instead of data.',
  fix: 'Fix the expression at the caret.',
  example: '```promql live\nmax(kubevirt_info{cluster="{{cluster}}"\n```',
  run: ({ queries }) =>
    queries
      .filter(({ source }) => source !== 'rule')
      .flatMap(({ file, subject, errors }) => errors.map((error) => fromDiagnostic(error, { file, subject }))),
}

export const promqlDoubtful: Check<RuleContent> = {
  name: 'promql-doubtful',
  title: 'An expression is valid and rarely intended',
  severity: 'warning',
  why: 'PromQL accepts these expressions without a warning: a rate of a sum hides counter resets, an aggregation may drop the `le` that a quantile needs, and a regular expression without metacharacters is slower than `=`.',
  fix: 'Apply the suggestion, or suppress the check with a reason.',
  example: 'expr: rate(sum by (cluster) (kubevirt_vmi_sync_total)[5m:])',
  *run({ queries, metrics }) {
    for (const query of queries) {
      if (query.expr === undefined) continue
      // The type of a metric in the catalogue is known: rate-of-gauge reports it, and the name alone is no proof.
      const known = new Set<number>()
      for (const { node } of nodesOf([query])) {
        const range = node.kind === 'call' && COUNTER_FUNCTIONS.has(node.func) ? node.args[0] : undefined
        if (range?.kind !== 'matrix') continue
        if (metricNamesOf(range).some((name) => metrics.find(name) !== undefined)) known.add(range.selector.from)
      }
      for (const { from, to, message, help } of lint(query.expr)) {
        if (known.has(from) && message.includes('might not be a counter')) continue
        // A variable or a placeholder with one value looks like a pattern without a pattern.
        if (query.source !== 'rule' && message.endsWith('is not a pattern')) continue
        yield at(query, { from, to }, message, help)
      }
    }
  },
}
