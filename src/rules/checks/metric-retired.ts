import { metricNamesOf } from '../../promql/ast.ts'
import type { Check, CheckFinding } from './check.ts'
import { metricOf } from './label-set.ts'
import type { RuleContent } from './rule-content.ts'
import { at, isSelector, visitQueries } from './visit.ts'

export const metricRetired: Check<RuleContent> = {
  name: 'metric-retired',
  title: 'A metric is read only under a name that newer versions do not send',
  severity: 'warning',
  why: 'Operators rename metrics. An expression that knows the old name alone is silent about every cluster that has been upgraded.',
  mend: 'Read the present name, or both: `new or old`. A recording rule that carries the old name over to the new one is what aliases are made of and is not told.',
  example: 'expr: max by (cluster) (kubevirt_virt_api_up) == 0',
  run({ queries, metrics }) {
    const found: CheckFinding[] = []
    visitQueries(queries, (query, node) => {
      if (!isSelector(node) || query.expr === undefined) return
      const name = metricOf(node)
      const metric = name === undefined ? undefined : metrics.find(name)
      if (name === undefined || metric?.replacedBy === undefined) return
      const now = metric.replacedBy
      const read = metricNamesOf(query.expr)
      if (now !== null && (read.includes(now) || query.subject === now)) return
      // A rule that records the present name may read old names.
      if (now !== null && query.source === 'rule' && /[:]/.test(query.subject)) return
      const help = now === null ? undefined : `its present name is ${now}`
      found.push(at(query, { from: node.from, to: node.from + name.length }, `${name} is no longer sent`, help))
    })
    return found
  },
}
