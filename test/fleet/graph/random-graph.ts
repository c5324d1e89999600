import fc from 'fast-check'
import type { ConditionalRisk, GraphEdge, UpdateGraph } from '../../../src/model/update-graph.ts'

export const VERSIONS = Array.from({ length: 9 }, (_, i) => `1.${i}.0`)
const CHANNELS = ['candidate', 'fast', 'stable']

export const RISK: ConditionalRisk = {
  url: 'https://example.com/1',
  name: 'SlowDisks',
  message: 'Clusters with slow disks lose etcd.',
  matchingRules: [{ type: 'Always' }],
}

const pair = fc.tuple(fc.constantFrom(...VERSIONS), fc.constantFrom(...VERSIONS)).map(([from, to]) => ({ from, to }))
const key = ({ from, to }: { readonly from: string; readonly to: string }): string => `${from} ${to}`

/** Any graph: with cycles, edges to older versions, and edges that are conditional, unconditional or both. */
export const anyGraph: fc.Arbitrary<UpdateGraph> = fc
  .record({
    channels: fc.array(fc.subarray(CHANNELS), { minLength: VERSIONS.length, maxLength: VERSIONS.length }),
    edges: fc.uniqueArray(pair, { selector: key, maxLength: 24 }),
    conditional: fc.array(fc.array(pair, { maxLength: 4 }), { maxLength: 3 }),
  })
  .map(({ channels, edges, conditional }) => ({
    nodes: VERSIONS.map((version, i) => ({ version, channels: channels[i]! })),
    edges: edges.map((edge): GraphEdge => ({ ...edge, via: 'graph' })),
    conditionalEdges: conditional.map((pairs) => ({ edges: pairs, risks: [RISK] })),
    channels: CHANNELS.map((name) => ({ name })),
  }))
