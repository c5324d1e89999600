import { without } from '../../../src/base/without.ts'
import { describe, expect, test } from 'vitest'
import { cincinnatiOf, readCincinnati } from '../../../src/fleet/graph/cincinnati.ts'
import { deadEnds } from '../../../src/fleet/graph/dead-ends.ts'
import { lineOf } from '../../../src/fleet/graph/line-of.ts'
import { readImport, type ImportRequest } from '../../../src/fleet/graph/read-import.ts'
import { createGraphRisks } from '../../../src/fleet/graph/risks.ts'
import { createUpdateGraphs } from '../../../src/fleet/graph/update-graphs.ts'
import { updatePath } from '../../../src/fleet/graph/update-path.ts'
import type { GraphImport } from '../../../src/model/graph-import.ts'
import { CATALOG_BLOBS, CINCINNATI, PACKAGE, RELEASED } from '../../support/catalog.ts'

const T = Date.parse('2026-08-20T10:00:00Z')
const place = (path: string): string => `g.json: ${path}`
const read = (document: unknown, channel?: string) =>
  readCincinnati(JSON.parse(JSON.stringify(document)), channel, place)
const importOf = (asked: Partial<ImportRequest>): GraphImport =>
  readImport(
    { name: 'x', kind: 'graph', operator: 'openshift', source: 'file', document: CINCINNATI, ...asked },
    'ada',
    T,
  )

describe('a graph in the form of Cincinnati', () => {
  test('is served as it was read, field by field', () => {
    expect(cincinnatiOf(read(CINCINNATI))).toEqual(CINCINNATI)
  })

  test('a channel has its versions alone, with the indexes of these', () => {
    const served = cincinnatiOf(read(CINCINNATI), 'stable-4.18')
    expect(served.nodes).toEqual(CINCINNATI.nodes.slice(0, 4))
    expect(served.edges).toEqual(CINCINNATI.edges.filter(([from, to]) => from < 4 && to < 4))
    expect(served.conditionalEdges).toEqual([])
    const newer = cincinnatiOf(read(CINCINNATI), 'stable-4.19')
    expect(newer.nodes).toEqual(CINCINNATI.nodes.slice(1))
    expect(newer.edges).toEqual(CINCINNATI.edges.slice(2).map(([from, to]) => [from - 1, to - 1]))
    expect(newer.conditionalEdges).toEqual(CINCINNATI.conditionalEdges)
    expect(cincinnatiOf(read(CINCINNATI), 'none').nodes).toEqual([])
  })

  test('versions without channels are in the one of the import', () => {
    const plain = { nodes: [{ version: '1.0.0', payload: 'p' }], edges: [] }
    expect(read(plain, 'fast').nodes[0]?.channels).toEqual(['fast'])
    expect(read(plain).nodes[0]?.channels).toEqual([])
  })

  const node = { version: '1.0.0', payload: 'p', metadata: {} }
  test.each([
    [[], 'g.json: : got [], want a mapping'],
    [{}, 'g.json: nodes: got nothing, want a list'],
    [{ version: 2, nodes: [] }, 'g.json: version: got 2, want 1, the version of the format'],
    [{ nodes: [{ ...node, payload: 7 }] }, 'g.json: nodes[0].payload: got 7, want a text'],
    [{ nodes: [node, node] }, 'g.json: nodes[1].version: got "1.0.0", want each version once'],
    [{ nodes: [{ ...node, metadata: { url: 1 } }] }, 'g.json: nodes[0].metadata.url: got 1, want a text'],
    [{ nodes: [node], edges: [[0, 1]] }, 'g.json: edges[0]: got [0,1], want two indexes of nodes, from 0 to 0'],
    [{ nodes: [node], edges: [[0]] }, 'g.json: edges[0]: got [0]'],
    [{ nodes: [node], edges: [[0, -1]] }, 'g.json: edges[0]: got [0,-1]'],
    [{ nodes: [node], edges: [[0, 0.5]] }, 'g.json: edges[0]: got [0,0.5]'],
    [{ nodes: [node], edges: { a: 1 } }, 'g.json: edges: got {"a":1}, want a list'],
    [{ nodes: [node], edges: Array(50_001).fill([0, 0]) }, 'g.json: edges: got 50001 updates, want at most 50000'],
    [{ nodes: Array(5001).fill(node) }, 'g.json: nodes: got 5001 items, want at most 5000'],
    [
      { nodes: [], conditionalEdges: [{ edges: [{ from: '1.0.0' }] }] },
      'conditionalEdges[0].edges[0].to: got nothing, want a text',
    ],
    [
      { nodes: [], conditionalEdges: [{ risks: [{ name: 'r', matchingRules: [{}] }] }] },
      'risks[0].matchingRules[0].type: got nothing',
    ],
  ])('%j is refused: %s', (document, message) => {
    expect(() => read(document)).toThrow(message)
  })

  test('the line of a value in a text', () => {
    const text = JSON.stringify(CINCINNATI, undefined, 2)
    const line = (path: string): string => text.split('\n')[lineOf(text, path) - 1]!.trim()
    expect(line('nodes[2].version')).toBe('"version": "4.18.10",')
    expect(line('nodes[2].nothing')).toBe('{')
    expect(lineOf(text, '')).toBe(1)
    expect(lineOf('', 'nodes[2]')).toBe(1)
  })
})

describe('imports', () => {
  const catalog = importOf({ name: 'c', kind: 'catalog', operator: 'kubevirt-hyperconverged', document: CATALOG_BLOBS })

  test('without imports the graph of HCO is that of the releases, and of OpenShift there is none', () => {
    const graphs = createUpdateGraphs([])
    expect(graphs.graph('kubevirt-hyperconverged', []).graph.nodes.length).toBeGreaterThan(RELEASED.length)
    expect(graphs.graph('kubevirt-hyperconverged', []).imports).toEqual([])
    expect(graphs.graph('openshift', []).graph.nodes).toEqual([])
    expect(graphs.served({ channel: 'stable' }).nodes.at(-1)?.version).toBe('1.18.1')
    expect(graphs.served({ channel: 'stable', operator: 'openshift' }).nodes).toEqual([])
  })

  test('an import takes the place of the releases', () => {
    const { graph, imports } = createUpdateGraphs([catalog]).graph('kubevirt-hyperconverged', ['1.17.9'])
    expect(graph.nodes.filter(({ channels }) => channels.length > 0).map(({ version }) => version)).toEqual(RELEASED)
    expect(graph.edges.some(({ from, to }) => from === '1.17.9' && to === '1.18.0')).toBe(true)
    expect(imports).toEqual([{ ...without(catalog, 'document'), problems: [] }])
  })

  test('a catalog is served with its images and channels, without versions that only clusters run', () => {
    const served = createUpdateGraphs([catalog]).served({ channel: 'stable-v1.17', arch: 's390x' })
    expect(served.nodes.map(({ version }) => version)).toEqual(['1.17.0', '1.17.1', '1.17.2', '1.17.3'])
    expect(served.nodes[0]).toEqual({
      version: '1.17.0',
      payload: 'quay.io/kubevirt/hyperconverged-cluster-bundle:1.17.0',
      metadata: { 'io.openshift.upgrades.graph.release.channels': 'stable,stable-v1.17' },
    })
    expect(served.edges).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ])
  })

  test('graphs of several channels are one, each channel with its own updates', () => {
    const of = (name: string, edges: readonly number[][]): GraphImport =>
      importOf({
        ...{ name, channel: name },
        document: {
          nodes: ['4.18.1', '4.18.2', '4.18.3'].map((version) => ({ version, payload: version, metadata: {} })),
          edges,
        },
      })
    const graphs = createUpdateGraphs([of('fast', [[0, 2]]), of('stable', [[0, 1]])])
    expect(graphs.served({ channel: 'fast' }).edges).toEqual([[0, 2]])
    expect(graphs.served({ channel: 'stable' }).edges).toEqual([[0, 1]])
    expect(graphs.graph('openshift', []).graph.edges).toHaveLength(2)
  })

  test('another architecture is not served', () => {
    const graphs = createUpdateGraphs([importOf({ arch: 'arm64' })])
    expect(graphs.served({ channel: 'stable-4.18', operator: 'openshift' }).nodes).toEqual([])
    expect(graphs.served({ channel: 'stable-4.18', arch: 'arm64' }).nodes).toHaveLength(4)
  })

  test.each([
    [{ name: '' }, 'name: got "", want up to 100 letters'],
    [{ name: 'a/b' }, 'name: got "a/b"'],
    [{ document: { nodes: [] } }, 'document.nodes: got no version'],
    [{ document: 7 }, 'document: got 7, want a mapping'],
    [{ kind: 'catalog' }, 'operator: got "openshift"'],
    [{ kind: 'catalog', operator: 'kubevirt-hyperconverged' }, 'document: got {"version":1'],
    [{ kind: 'catalog', operator: 'kubevirt-hyperconverged', document: [7] }, 'document[0]: got 7, want a mapping'],
    [{ kind: 'catalog', operator: 'kubevirt-hyperconverged', document: [] }, 'package: got no package'],
    [
      {
        kind: 'catalog',
        operator: 'kubevirt-hyperconverged',
        document: [
          { schema: 'olm.package', name: 'a' },
          { schema: 'olm.package', name: 'b' },
        ],
      },
      'package: got the packages a, b',
    ],
    [
      {
        kind: 'catalog',
        operator: 'kubevirt-hyperconverged',
        document: [{ schema: 'olm.channel', package: PACKAGE, name: 's', entries: 1 }],
      },
      'document[0]:1: entries: got 1, want a list',
    ],
  ] as const)('%j is refused: %s', (asked, message) => {
    expect(() => importOf(asked)).toThrow(message)
  })
})

describe('the path to recommend', () => {
  const graph = read(CINCINNATI)
  const risks = createGraphRisks({
    ofAll: () =>
      Promise.resolve(
        new Map([
          ['aws', [1]],
          ['metal', [0]],
        ]),
      ),
    ofOne: () => Promise.resolve([]),
  })
  const pathOf = async (from: string, to: string, channel?: string, cluster?: string) => {
    const running = cluster === undefined ? undefined : { cluster, version: from }
    const ends = { from, to, ...(channel === undefined ? {} : { channel }) }
    const path = await updatePath(graph, ends, risks, running, T)
    const steps = path.steps?.map((step) => `${step.to}${step.risks.map(({ exposure }) => ` ${exposure}`).join('')}`)
    return [path.isRecommended, path.isInChannel, ...(steps ?? ['none'])]
  }

  test.each([
    ['4.18.9', '4.18.11', 'stable-4.18', undefined, [true, true, '4.18.11']],
    // Only another channel leads there without a risk.
    ['4.18.10', '4.19.1', 'stable-4.18', undefined, [true, false, '4.18.11', '4.19.1']],
    ['4.18.10', '4.19.0', 'stable-4.19', undefined, [false, true, '4.19.0 unknown']],
    ['4.18.10', '4.19.0', 'stable-4.19', 'metal', [true, true, '4.19.0 not_exposed']],
    ['4.18.10', '4.19.0', 'stable-4.19', 'aws', [false, true, '4.19.0 exposed']],
    ['4.18.10', '4.19.0', 'stable-4.18', 'aws', [false, false, '4.19.0 exposed']],
    ['4.19.1', '4.18.9', undefined, undefined, [false, false, 'none']],
    ['4.19.1', '4.19.1', undefined, undefined, [true, false]],
  ])('%s to %s in %s for %s', async (from, to, channel, cluster, want) => {
    expect(await pathOf(from, to, channel, cluster)).toEqual(want)
  })
})

test('dead ends: no update, though a channel has a newer version of the major', () => {
  const node = (version: string, channels = ['stable']) => ({ version, channels })
  const graph = {
    nodes: [node('1.0.0'), node('1.1.0'), node('1.2.0'), node('1.3.0', []), node('4.18.0'), node('4.19.0')],
    edges: [
      { from: '1.1.0', to: '1.0.0', via: 'graph' as const },
      { from: '4.18.0', to: '4.19.0', via: 'graph' as const },
    ],
    ...{ conditionalEdges: [], channels: [] },
  }
  expect([...deadEnds(graph)]).toEqual(['1.0.0', '1.1.0'])
})
