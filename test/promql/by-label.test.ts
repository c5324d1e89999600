import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { forEach, forOne } from '../../src/promql/by-label.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { formatExpr } from '../../src/promql/format.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

const T = Date.parse('2026-08-20T10:00:00Z')
const CLUSTERS = ['a', 'b', 'c']
const store = new MemoryQueryable()
for (const [i, cluster] of CLUSTERS.entries()) {
  for (const [name, labels, value] of [
    ['cluster_infrastructure_provider', { type: i === 0 ? 'AWS' : 'BareMetal' }, 1],
    ['cluster_operator_conditions', { name: i === 1 ? 'aro' : 'etcd', condition: 'Available' }, 1],
    ['cluster_version', { type: 'initial', version: `4.${i + 8}.3` }, T / 1000 - i],
    ['cluster_version', { type: 'completed', version: '4.18.10' }, T / 1000],
    ['kube_node_info', { node: 'n1', kernel: 'k1' }, 1],
    ['kube_node_info', { node: 'n2', kernel: i === 2 ? 'k2' : 'k1' }, 1],
  ] as const) {
    for (let at = T - 600_000; at <= T; at += 30_000)
      store.append(Labels.of({ __name__: name, ...labels, cluster }), at, value)
  }
}
store.append(Labels.of({ __name__: 'cluster_infrastructure_provider', type: 'AWS' }), T, 1)
const engine = createLocalEngine({ queryable: store, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })

async function results(expr: string): Promise<string[]> {
  const { value } = await engine.instant({ expr, timeMs: T })
  if (value.type !== 'vector') return [value.type]
  return value.samples.map((sample) => `${sample.labels.toString()} ${sample.value}`).sort()
}

/** Of rules in public graphs, and what else PromQL has. */
const EXPRESSIONS = [
  'topk(1,\n  group(cluster_infrastructure_provider{type="AWS"})\n  or\n  0 * group(cluster_infrastructure_provider)\n)',
  'cluster_infrastructure_provider{type=~"OpenStack|BareMetal"} or 0 * cluster_infrastructure_provider',
  'topk(1, label_replace(group(cluster_version{type="initial",version=~"4[.][0-9][.].*"}),"born_by_4_9", "yes", "", "") or label_replace(0 * group(cluster_version{type="initial",version!~"4[.][0-9][.].*"}),"born_by_4_9", "no", "", "")) * on () group_left (type) (cluster_infrastructure_provider{type="AWS"} or 0 * cluster_infrastructure_provider)',
  'group(cluster_operator_conditions{name="aro"}) or 0 * group(cluster_operator_conditions)',
  'max(max_over_time(cluster_version{type="completed"}[5m])) > bool 0',
  'count by (kernel) (kube_node_info)',
  'sum without (node, kernel) (kube_node_info)',
  'count(count by (kernel) (kube_node_info)) > bool 1',
  'kube_node_info * ignoring (node, kernel) group_left () group without (type) (cluster_infrastructure_provider)',
  'cluster_version and on (type) cluster_version{type="initial"}',
  'quantile(0.5, kube_node_info) + 1',
  'max_over_time(count(kube_node_info)[5m:1m])',
  '-(group(kube_node_info))',
  'count_values("v", kube_node_info)',
  'sort_desc(topk(1, cluster_version))',
]

describe('an expression over the series of each cluster', () => {
  test.each(EXPRESSIONS)('%s', async (text) => {
    const each = forEach(parseExpr(text), 'cluster')
    expect(each).toBeDefined()
    const all = await results(formatExpr(each!))
    for (const cluster of CLUSTERS) {
      const own = all.filter((line) => line.includes(`cluster="${cluster}"`))
      const alone = await results(formatExpr(forOne(parseExpr(text), 'cluster', cluster)))
      const withoutCluster = (lines: string[]): string[] =>
        lines.map((line) => line.replace(/(, )?cluster="."(, )?/, (_, a, b) => (a && b ? ', ' : ''))).sort()
      expect(withoutCluster(own)).toEqual(withoutCluster(alone))
    }
    expect(all.filter((line) => !line.includes('cluster="'))).toEqual([])
  })

  test.each([
    'absent(up)',
    'up or vector(0)',
    'scalar(up)',
    'sum(up) > scalar(max(up))',
    'label_replace(up, "cluster", "x", "", "")',
    'count_values("cluster", up)',
    'up * on (job) group_left (cluster) down',
    'topk(scalar(up), up)',
  ])('%s has a part that is of no cluster', (text) => {
    expect(forEach(parseExpr(text), 'cluster')).toBeUndefined()
  })
})
