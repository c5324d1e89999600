import type { Range } from '../../yaml/yaml-reader.ts'
import { didYouMean } from '../../base/nearest.ts'
import type { Check, CheckFinding } from './check.ts'
import { metricOf } from './label-set.ts'
import type { RuleContent } from './rule-content.ts'
import { at, isSelector, visitQueries } from './visit.ts'

export const metricUnknown: Check<RuleContent> = {
  name: 'metric-unknown',
  title: 'A metric is in no catalogue',
  severity: 'error',
  why: 'A selector without series is no error in PromQL: the alert never fires, the panel stays empty, and nobody sees why. The catalogue holds what KubeVirt, the operators around it, OLM, the cluster version operator, kube-state-metrics and this server send, and what the loaded rules record.',
  mend: 'Correct the name. For a metric of your own, suppress the check with a word on who sends it.',
  example: 'expr: kubevirt_hco_unsafe_modification > 0',
  run({ queries, metrics }) {
    const found: CheckFinding[] = []
    visitQueries(queries, (query, node) => {
      if (!isSelector(node)) return
      const name = metricOf(node)
      if (name === undefined || metrics.find(name) !== undefined) return
      found.push(at(query, nameIn(node, name), `no metric is called ${name}`, didYouMean(name, metrics.names)))
    })
    return found
  },
}

/** The range of the name at the start of a selector. */
function nameIn(node: Range, name: string): Range {
  return { from: node.from, to: Math.min(node.to, node.from + name.length) }
}
