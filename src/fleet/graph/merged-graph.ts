/** Several imports of one operator as one graph, as if they had been one. */
import type { GraphChannel, GraphEdge, GraphNode, UpdateGraph } from '../../model/update-graph.ts'
import { compareTexts } from '../version-order.ts'

/** Of what two graphs say about one version the first one's fields count; channels are those of all. */
export function mergedGraph(graphs: readonly UpdateGraph[]): UpdateGraph {
  const [only] = graphs
  if (only !== undefined && graphs.length === 1) return only
  const nodes = new Map<string, GraphNode>()
  const edges = new Map<string, GraphEdge>()
  const channels = new Map<string, GraphChannel>()
  for (const graph of graphs) {
    const own = new Map(graph.nodes.map((node) => [node.version, node.channels]))
    for (const node of graph.nodes) {
      const known = nodes.get(node.version)
      nodes.set(
        node.version,
        known === undefined ? node : { ...node, ...known, channels: union(known.channels, node.channels) },
      )
    }
    for (const edge of graph.edges) {
      const key = `${edge.from} ${edge.to}`
      // In the channels of its own graph, not in those that another one adds to its versions.
      const offered =
        edge.channels ?? (own.get(edge.from) ?? []).filter((name) => own.get(edge.to)?.includes(name) === true)
      const known = edges.get(key)
      edges.set(key, {
        ...(known ?? edge),
        channels: known === undefined ? offered : union(known.channels ?? [], offered),
      })
    }
    for (const channel of graph.channels) channels.set(channel.name, { ...channel, ...channels.get(channel.name) })
  }
  const groups = new Map<string, UpdateGraph['conditionalEdges'][number]>()
  for (const group of graphs.flatMap(({ conditionalEdges }) => conditionalEdges))
    groups.set(JSON.stringify(group), group)
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()],
    conditionalEdges: [...groups.values()],
    channels: [...channels.values()].sort((a, b) => compareTexts(a.name, b.name)),
  }
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])].sort(compareTexts)
}
