/** Checks of the names in selectors: metrics that do not exist or are no longer sent, and alerts that do not exist. */
import { didYouMean } from '../../base/nearest.ts'
import { metricNamesOf } from '../../promql/ast.ts'
import type { Check } from './check.ts'
import { metricOf } from './label-set.ts'
import type { RuleContent } from './rule-content.ts'
import { at, nameIn, selectorsIn } from './visit.ts'

export const metricUnknown: Check<RuleContent> = {
  name: 'metric-unknown',
  title: 'A metric is not in the catalogue',
  severity: 'error',
  why: 'A selector without series is not an error in PromQL: the alert never fires, or the panel stays empty. The catalogue has the metrics of KubeVirt, the operators around it, OLM, the cluster version operator, kube-state-metrics and this server, and the series that the loaded rules record.',
  fix: 'Correct the name. For a metric of your own, suppress the check and name the sender.',
  example: 'expr: kubevirt_hco_unsafe_modification > 0',
  *run({ queries, metrics }) {
    for (const { query, selector } of selectorsIn(queries)) {
      const name = metricOf(selector)
      if (name === undefined || metrics.find(name) !== undefined) continue
      yield at(query, nameIn(selector, name), `no metric is called ${name}`, didYouMean(name, metrics.names))
    }
  },
}

export const metricRetired: Check<RuleContent> = {
  name: 'metric-retired',
  title: 'A query uses only the old name of a renamed metric',
  severity: 'warning',
  why: 'Operators rename metrics. An expression with only the old name has no data of upgraded clusters.',
  fix: 'Use the current name, or both: `new or old`. The check ignores recording rules that record the old name under the new one.',
  example: 'expr: max by (cluster) (kubevirt_virt_api_up) == 0',
  *run({ queries, metrics }) {
    for (const { query, expr, selector } of selectorsIn(queries)) {
      const name = metricOf(selector) ?? ''
      const now = metrics.find(name)?.replacedBy
      if (now === undefined) continue
      if (now !== null && (metricNamesOf(expr).includes(now) || query.subject === now)) continue
      // A rule that records the present name may read old names.
      if (now !== null && query.source === 'rule' && query.subject.includes(':')) continue
      const help = now === null ? undefined : `its present name is ${now}`
      yield at(query, nameIn(selector, name), `${name} is no longer sent`, help)
    }
  },
}

export const alertUnknown: Check<RuleContent> = {
  name: 'alert-unknown',
  title: 'A query selects an alert that does not exist',
  severity: 'error',
  why: '`ALERTS{alertname="..."}` with an unknown name is always empty, which looks like an alert that does not fire.',
  fix: 'Correct the name. Old names of a renamed alert are known if its runbook lists them under `aliases`.',
  example: 'expr: count(ALERTS{alertname="KubevirtCRModified"})',
  *run({ queries, knownAlerts }) {
    for (const { query, selector } of selectorsIn(queries)) {
      if (!/^ALERTS(_FOR_STATE)?$/.test(metricOf(selector) ?? '')) continue
      for (const { name, op, value } of selector.matchers) {
        if (name !== 'alertname' || (op !== '=' && op !== '=~') || value === '') continue
        // Of a pattern, only the alternatives that are plain names are checked.
        const names = op === '=' ? [value] : value.split('|').filter((one) => /^\w+$/.test(one))
        for (const one of names.filter((alert) => !knownAlerts.has(alert))) {
          yield at(query, selector, `no alert is called ${one}`, didYouMean(one, knownAlerts))
        }
      }
    }
  },
}
