import { expect, test } from 'vitest'
import { withImported } from '../../../src/fleet/plan/imported-graph.ts'
import { graphOfReleases } from '../../../src/fleet/plan/plan-graph.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import type { GraphNode, UpdateGraph } from '../../../src/model/update-graph.ts'

const KNOWN = graphOfReleases(RELEASES, { hco: ['4.18.1'], openshift: [] })

function node(version: string, more: Partial<GraphNode> = {}): GraphNode {
  return { version, channels: ['stable'], ...more }
}

const IMPORTED: UpdateGraph = {
  nodes: [
    node('4.18.1'),
    node('4.18.9', { maxOpenShiftVersion: '4.19' }),
    node('4.19.2'),
    node('4.19.3-rc.1'),
    node('4.19.9', { channels: [] }),
  ],
  edges: [
    { from: '4.18.1', to: '4.18.9', via: 'replaces' },
    { from: '4.18.9', to: '4.19.2', via: 'skip_range' },
  ],
  conditionalEdges: [],
  channels: [{ name: 'stable' }],
}
const GRAPH = withImported(IMPORTED, KNOWN)

test('versions are those that a channel offers, without prereleases', () => {
  expect(GRAPH.versions('openshift', 19)).toEqual(['4.19.2'])
  expect(GRAPH.versions('openshift', 18)).toEqual(['4.18.1', '4.18.9'])
  expect(GRAPH.isComplete('openshift')).toBe(true)
})

test('a path goes by the declared updates, step by step', () => {
  expect(GRAPH.path('openshift', '4.18.1', '4.19.2')).toEqual(['4.18.9', '4.19.2'])
  expect(GRAPH.path('openshift', '4.18.1', '4.19.9')).toBeUndefined()
})

test('a declared limit of OpenShift holds; other versions have the known one', () => {
  expect(GRAPH.maxOpenShiftMinor('4.18.9')).toBe(19)
  expect(GRAPH.maxOpenShiftMinor('4.18.1')).toBeUndefined()
})

test('flavours that are not imported are answered by the known releases', () => {
  expect(GRAPH.versions('community', 22)).toEqual(KNOWN.versions('community', 22))
  expect(GRAPH.path('community', '1.17.3', '1.18.1')).toEqual(KNOWN.path('community', '1.17.3', '1.18.1'))
  expect(GRAPH.path('openshift', '4.17.1', '4.18.1')).toEqual(KNOWN.path('openshift', '4.17.1', '4.18.1'))
})
