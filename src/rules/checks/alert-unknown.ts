import { didYouMean } from '../../base/nearest.ts'
import type { Check, CheckFinding } from './check.ts'
import { metricOf } from './label-set.ts'
import type { RuleContent } from './rule-content.ts'
import { at, isSelector, visitQueries } from './visit.ts'

export const alertUnknown: Check<RuleContent> = {
  name: 'alert-unknown',
  title: 'A query asks for an alert that does not exist',
  severity: 'error',
  why: '`ALERTS{alertname="..."}` of a name that no rule has is empty for ever, and "no alert is firing" is what everybody reads into that.',
  mend: 'Correct the name. An alert that was renamed is known by its old names too, as long as its runbook lists them as aliases.',
  example: 'expr: count(ALERTS{alertname="KubevirtCRModified"})',
  run({ queries, knownAlerts }) {
    const found: CheckFinding[] = []
    visitQueries(queries, (query, node) => {
      if (!isSelector(node) || !/^ALERTS(_FOR_STATE)?$/.test(metricOf(node) ?? '')) return
      for (const { name, op, value } of node.matchers) {
        if (name !== 'alertname' || (op !== '=' && op !== '=~') || value === '') continue
        // Of a pattern, only the alternatives that are plain names are checked.
        const names = op === '=' ? [value] : value.split('|').filter((one) => /^\w+$/.test(one))
        for (const one of names.filter((alert) => !knownAlerts.has(alert))) {
          found.push(at(query, node, `no alert is called ${one}`, didYouMean(one, knownAlerts)))
        }
      }
    })
    return found
  },
}
