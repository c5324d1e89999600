import type { Range } from '../../yaml/yaml-reader.ts'
import { unwrapParens, type Expr } from '../../promql/ast.ts'
import type { Check } from './check.ts'
import { labelSetOf, mayHave } from './label-set.ts'
import type { RuleContent } from './rule-content.ts'
import { at, nodesOf } from './visit.ts'

export const clusterDropped: Check<RuleContent> = {
  name: 'cluster-dropped',
  title: 'An expression mixes clusters',
  severity: 'error',
  why: 'Rules are evaluated over the whole fleet. An aggregation or join without `cluster` combines VMs of different clusters: a fault in one cluster is hidden by the others, and the alert does not identify the cluster.',
  fix: 'Add `cluster` and `cluster_id` to each `by` and `on`; `without` retains them. For a rule about the whole fleet, suppress the check with that reason.',
  example: 'expr: sum(kubevirt_virt_api_ready_status) == 0',
  *run({ rules }) {
    for (const { query, node, above } of nodesOf(rules.map((rule) => rule.query))) {
      if (!drops(node) || isPresenceOnly(node, above)) continue
      const help = 'rules are evaluated over the whole fleet; keep cluster and cluster_id'
      yield at(query, headOf(node), `${nameOf(node)} drops the label cluster`, help)
    }
  },
}

function drops(node: Expr): boolean {
  if (node.kind === 'aggregate') return node.isWithout === node.grouping.includes('cluster')
  if (node.kind !== 'binary' || node.matching === undefined) return false
  const { isOn, labels } = node.matching
  return isOn ? !labels.includes('cluster') : labels.includes('cluster')
}

/** `scalar(...)` and a constant joined by `on ()` have no cluster label. */
function isPresenceOnly(node: Expr, above: readonly Expr[]): boolean {
  if (node.kind === 'binary') return [node.left, node.right].some((side) => isConstant(side))
  return above.some((outer) => outer.kind === 'call' && outer.func === 'scalar')
}

function isConstant(expr: Expr): boolean {
  const inner = unwrapParens(expr)
  return inner.kind === 'number' || (inner.kind === 'call' && inner.func === 'vector')
}

function nameOf(node: Expr): string {
  if (node.kind === 'aggregate') return node.op
  return node.kind === 'binary' ? `matching for ${node.op}` : node.kind
}

function headOf(node: Expr): Range {
  if (node.kind === 'binary') return { from: node.left.to, to: node.right.from }
  if (node.kind === 'aggregate' && node.expr.from > node.from) return { from: node.from, to: node.expr.from - 1 }
  return node
}

export const clusterNotYielded: Check<RuleContent> = {
  name: 'cluster-not-yielded',
  title: 'An alert does not identify its cluster',
  severity: 'error',
  why: 'The alert list, routing, silences and runbooks all use the label `cluster` of the alert.',
  fix: 'Write an expression whose result has `cluster`. `absent()` has only the labels of its selector; over a fleet, select the clusters that have another metric, and add `unless` with this one.',
  example: 'expr: absent(kubevirt_info)',
  run: ({ rules, metrics }) =>
    rules
      .filter(({ kind, query }) => kind === 'alerting' && query.expr !== undefined)
      .filter(({ query }) => !mayHave(labelSetOf(query.expr!, metrics), 'cluster'))
      .map(({ query }) => at(query, query.expr!, 'the result never has the label cluster')),
}
