import type { GraphEdgeItem, UpdateGraphAnswer } from '../../../src/contract/update-graph.ts'
import { fleetCoverage, timeOf } from './coverage-fixtures.ts'

const VERSIONS = ['1.15.0', '1.16.0', '1.17.0', '1.17.1', '1.17.3', '1.18.0', '1.18.1']

/** The catalog of a made-up fleet: one version is deprecated, and one update has a risk. */
export function updateGraphAnswer(params: URLSearchParams, nowMs: number): UpdateGraphAnswer {
  const edge = (from: string, to: string, more: Partial<GraphEdgeItem> = {}): GraphEdgeItem => ({
    ...{ from, to, via: 'replaces', channels: ['stable'], risks: [], attempts: 0, success: null },
    ...more,
  })
  const [from, to] = [params.get('from'), params.get('to')]
  return {
    ...{ asOf: timeOf(nowMs), coverage: fleetCoverage(nowMs), operator: 'kubevirt-hyperconverged', edgesTotal: 7 },
    imports: [
      {
        ...{
          name: 'community',
          kind: 'catalog',
          operator: 'kubevirt-hyperconverged',
          arch: null,
          source: 'catalog.json',
        },
        ...{ importedAt: timeOf(nowMs - 3_600_000), by: 'ada' },
        problems: [{ kind: 'backward', text: '1.16.0 is updated to the older 1.15.2 (replaces)' }],
      },
    ],
    channels: [
      { name: 'stable', deprecated: null, head: '1.18.1', versions: 7, clusters: 900 },
      { name: 'stable-v1.17', deprecated: 'no more updates', head: '1.17.3', versions: 3, clusters: 0 },
    ],
    versions: VERSIONS.map((version, i) => ({
      ...{ version, channels: ['stable'], maxOpenShiftVersion: i === 0 ? '4.19' : null, clusters: i * 40 },
      ...{
        deprecated: i === 0 ? '1.15.0 is not supported any more.' : null,
        inGraph: true,
        deadEnd: false,
        stranded: null,
        verdict: i === VERSIONS.length - 1 ? ('hold' as const) : null,
      },
    })),
    edges: [
      edge('1.18.0', '1.18.1', { attempts: 150, success: { share: 0.8, low: 0.73, high: 0.86, of: 150 } }),
      edge('1.17.3', '1.18.0', { risks: ['SlowDisks'] }),
      ...VERSIONS.slice(0, 5).map((version, i) => edge(version, VERSIONS[i + 1]!)),
    ],
    risks: [
      {
        ...{ name: 'SlowDisks', message: 'Clusters with slow disks lose etcd.', url: 'https://example.com/1' },
        ...{ clusters: { exposed: 2, notExposed: 150, unknown: 8 }, exposed: ['prod-0001', 'prod-0002'] },
        ...{ promql: ['group(slow_disk)'], notes: [] },
      },
    ],
    path:
      from === null || to === null
        ? null
        : {
            ...{ from, to, cluster: null, channel: null, recommended: true, inChannel: false },
            steps: [{ from, to, via: 'replaces', channels: ['stable'], risks: [] }],
          },
  }
}
