import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortestPath } from '../../../src/fleet/graph/shortest-path.ts'
import { compareVersions } from '../../../src/fleet/version-order.ts'
import { isOffered, linksOf, type UpdateGraph } from '../../../src/model/update-graph.ts'
import { anyGraph, RISK, VERSIONS } from './random-graph.ts'

function graphOf(edges: string, conditional = '', channels: Readonly<Record<string, string[]>> = {}): UpdateGraph {
  const pairs = (text: string) =>
    text
      .split(' ')
      .filter((pair) => pair !== '')
      .map((pair) => pair.split('>') as [string, string])
      .map(([from, to]) => ({ from, to }))
  const versions = new Set([...pairs(edges), ...pairs(conditional)].flatMap(({ from, to }) => [from, to]))
  return {
    nodes: [...versions].map((version) => ({ version, channels: channels[version] ?? ['stable'] })),
    edges: pairs(edges).map((edge) => ({ ...edge, via: 'graph' })),
    conditionalEdges: conditional === '' ? [] : [{ edges: pairs(conditional), risks: [RISK] }],
    channels: [{ name: 'stable' }],
  }
}
const shown = (graph: UpdateGraph, from: string, to: string, limits = {}): string | undefined => {
  const path = shortestPath(graph, from, to, limits)
  return path && [from, ...path.map((link) => link.to)].join(' ')
}

/** By all paths over rising versions. */
function fewest(graph: UpdateGraph, from: string, to: string, channel?: string): number | undefined {
  if (from === to) return 0
  const channelsOf = (version: string) => graph.nodes.find((node) => node.version === version)?.channels
  let best: number | undefined
  for (const link of linksOf(graph)) {
    if (link.from !== from || compareVersions(link.to, from) <= 0) continue
    if (channel !== undefined && !isOffered(link, channel, channelsOf)) continue
    const rest = fewest(graph, link.to, to, channel)
    if (rest !== undefined && (best === undefined || rest + 1 < best)) best = rest + 1
  }
  return best
}

describe('shortestPath', () => {
  test.each([
    ['1.0.0>1.1.0 1.1.0>1.2.0', '', '1.0.0', '1.2.0', '1.0.0 1.1.0 1.2.0', 'step by step'],
    ['1.0.0>1.1.0 1.1.0>1.2.0 1.0.0>1.2.0', '', '1.0.0', '1.2.0', '1.0.0 1.2.0', 'an edge that skips a version'],
    [
      '1.0.0>1.1.0 1.0.0>1.1.1 1.1.0>1.2.0 1.1.1>1.2.0',
      '',
      '1.0.0',
      '1.2.0',
      '1.0.0 1.1.1 1.2.0',
      'the newest between',
    ],
    [
      '1.0.0>1.1.0 1.1.0>1.2.0 1.1.1>1.2.0',
      '1.0.0>1.1.1',
      '1.0.0',
      '1.2.0',
      '1.0.0 1.1.0 1.2.0',
      'unconditional first',
    ],
    [
      '1.0.0>1.1.0 1.1.0>1.2.0',
      '1.0.0>1.2.0',
      '1.0.0',
      '1.2.0',
      '1.0.0 1.2.0',
      'fewer updates before fewer conditions',
    ],
    ['1.0.0>1.1.0', '', '1.0.0', '1.0.0', '1.0.0', 'it is there already'],
    ['1.0.0>1.1.0', '', '1.1.0', '1.0.0', undefined, 'not back'],
    ['1.1.0>1.0.0 1.0.0>1.2.0', '', '1.1.0', '1.2.0', undefined, 'not over an older version'],
    ['1.0.0>1.1.0', '', '1.0.0', '9.9.9', undefined, 'an unknown version'],
  ])('%s | %s: %s to %s is %s (%s)', (...row) => {
    const [edges, conditional, from, to, want] = row
    expect(shown(graphOf(edges, conditional), from, to)).toBe(want)
  })

  test('only what a channel offers, and only what is allowed', () => {
    const graph = graphOf('1.0.0>1.1.0 1.1.0>1.2.0 1.0.0>1.2.0', '', { '1.1.0': ['fast'], '1.0.0': ['fast', 'stable'] })
    expect(shown(graph, '1.0.0', '1.2.0', { channel: 'stable' })).toBe('1.0.0 1.2.0')
    expect(shown(graph, '1.0.0', '1.2.0', { channel: 'fast' })).toBeUndefined()
    expect(
      shown(graph, '1.0.0', '1.2.0', {
        isAllowed: ({ from, to }: { from: string; to: string }) => `${from} ${to}` !== '1.0.0 1.2.0',
      }),
    ).toBe('1.0.0 1.1.0 1.2.0')
  })

  test('an edge with channels of its own is offered in these alone', () => {
    const graph: UpdateGraph = {
      ...graphOf('1.0.0>1.1.0'),
      edges: [{ from: '1.0.0', to: '1.1.0', via: 'replaces', channels: ['fast'] }],
    }
    expect(shown(graph, '1.0.0', '1.1.0', { channel: 'stable' })).toBeUndefined()
    expect(shown(graph, '1.0.0', '1.1.0', { channel: 'fast' })).toBe('1.0.0 1.1.0')
  })

  test('no other path has fewer updates, in any graph', () => {
    const version = fc.constantFrom(...VERSIONS)
    const channel = fc.option(fc.constantFrom('candidate', 'stable'), { nil: undefined })
    fc.assert(
      fc.property(anyGraph, version, version, channel, (graph, from, to, only) => {
        const path = shortestPath(graph, from, to, only === undefined ? {} : { channel: only })
        expect(path?.length).toBe(fewest(graph, from, to, only))
        expect(path?.reduce((at, link) => (link.from === at ? link.to : 'broken'), from) ?? to).toBe(to)
      }),
    )
  })

  test('the order of nodes and edges does not matter', () => {
    const ordered = anyGraph.chain((graph) =>
      fc
        .tuple(
          fc.shuffledSubarray([...graph.nodes], { minLength: graph.nodes.length }),
          fc.shuffledSubarray([...graph.edges], { minLength: graph.edges.length }),
        )
        .map(([nodes, edges]) => [graph, { ...graph, nodes, edges }] as const),
    )
    const version = fc.constantFrom(...VERSIONS)
    fc.assert(
      fc.property(ordered, version, version, ([graph, shuffled], from, to) => {
        expect(shown(shuffled, from, to)).toBe(shown(graph, from, to))
      }),
    )
  })
})

describe('linksOf', () => {
  test('an edge that is conditional too has the risks of all its entries', () => {
    const graph = graphOf('1.0.0>1.1.0 1.1.0>1.2.0', '1.0.0>1.1.0 1.0.0>1.2.0')
    const other = { ...RISK, name: 'Other' }
    const links = linksOf({
      ...graph,
      conditionalEdges: [...graph.conditionalEdges, { edges: [{ from: '1.0.0', to: '1.1.0' }], risks: [other] }],
    })
    expect(links.map(({ from, to, risks }) => `${from}>${to} ${risks.map(({ name }) => name).join()}`)).toEqual([
      '1.0.0>1.1.0 SlowDisks,Other',
      '1.1.0>1.2.0 ',
      '1.0.0>1.2.0 SlowDisks',
    ])
  })
})
