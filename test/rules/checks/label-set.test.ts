import { describe, expect, test } from 'vitest'
import { parseExpr } from '../../../src/promql/parse.ts'
import { labelSetOf, mayHave } from '../../../src/rules/checks/label-set.ts'
import { metricCatalogOf } from '../../../src/rules/metrics/metric-catalog.ts'

const METRICS = metricCatalogOf([
  { name: 'a', type: 'gauge', labels: ['cluster', 'vm', 'label_*'], isWhole: true },
  { name: 'b', type: 'gauge', labels: ['cluster', 'node'], isWhole: true },
])

/** What may be there, of what is asked. */
function labelsOf(expr: string, asked: readonly string[]): string[] {
  const set = labelSetOf(parseExpr(expr), METRICS)
  return asked.filter((label) => mayHave(set, label))
}

const ASKED = ['cluster', 'vm', 'node', 'label_zone', 'le', 'x']

describe('labels an expression may yield', () => {
  test.each([
    ['a', ['cluster', 'vm', 'label_zone']],
    ['unheard_of', ASKED],
    ['{cluster="c"}', ASKED],
    ['sum(a)', []],
    ['sum by (cluster, x) (a)', ['cluster']],
    ['sum by (cluster, x) (unheard_of)', ['cluster', 'x']],
    ['sum without (vm) (a)', ['cluster', 'label_zone']],
    ['sum without (vm) (unheard_of)', ['cluster', 'node', 'label_zone', 'le', 'x']],
    ['topk by (vm) (1, a)', ['cluster', 'vm', 'label_zone']],
    ['count_values by (cluster) ("x", a)', ['cluster', 'x']],
    ['rate(a[5m])', ['cluster', 'vm', 'label_zone']],
    ['max_over_time(sum by (cluster) (a)[1h:1m])', ['cluster']],
    ['-(a)', ['cluster', 'vm', 'label_zone']],
    ['a > 5', ['cluster', 'vm', 'label_zone']],
    ['1 - b', ['cluster', 'node']],
    ['time() - b', ['cluster', 'node']],
    ['a * on (cluster) b', ['cluster']],
    ['a * ignoring (vm, node) b', ['cluster', 'label_zone']],
    ['a * on (cluster) group_left (node) b', ['cluster', 'vm', 'node', 'label_zone']],
    ['b * on (cluster) group_right (x) a', ['cluster', 'vm', 'label_zone', 'x']],
    ['a and on (cluster) b', ['cluster', 'vm', 'label_zone']],
    ['a unless b', ['cluster', 'vm', 'label_zone']],
    ['a or b', ['cluster', 'vm', 'node', 'label_zone']],
    ['sum without (vm) (unheard_of) or sum by (vm) (a)', ['cluster', 'vm', 'node', 'label_zone', 'le', 'x']],
    ['label_replace(b, "x", "$1", "node", "(.*)")', ['cluster', 'node', 'x']],
    ['label_join(b, "x", "-", "node")', ['cluster', 'node', 'x']],
    ['absent(a{cluster="c", vm=~"v.*"})', ['cluster']],
    ['absent_over_time(a{vm="v"}[5m])', ['vm']],
    ['vector(1)', []],
    ['scalar(a)', []],
    ['histogram_quantile(0.9, sum by (le, cluster) (unheard_of))', ['cluster']],
    ['kubevirt_rest_client_request_latency_seconds_bucket', ['cluster', 'node', 'le']],
  ])('%s', (expr, want) => {
    expect(labelsOf(expr, ASKED)).toEqual(want)
  })
})
