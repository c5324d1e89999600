/**
 * The update graph of an operator or of the platform: which versions exist, and from which one an update leads to which.
 * Made of imported catalogs and graphs, or of the known releases; `fleet/graph/` builds it. Plain data: it crosses threads.
 */

export interface GraphNode {
  readonly version: string
  /** Sorted; empty: in no channel, such as a version that only `replaces` or `skips` name. */
  readonly channels: readonly string[]
  /** The message of the deprecation; absent: not deprecated. */
  readonly deprecated?: string
  /** Minor of OpenShift up to which the bundle may stay installed, such as `4.20`; absent: none is declared. */
  readonly maxOpenShiftVersion?: string
  /** Of the release or of the bundle: an image, or the name of the CSV where no image is known. */
  readonly payload?: string
  /** As imported; absent: none was. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** What declares an edge: the three of OLM, or a graph in Cincinnati's form. */
export const EDGE_VIAS = ['replaces', 'skips', 'skip_range', 'graph'] as const
export type EdgeVia = (typeof EDGE_VIAS)[number]

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly via: EdgeVia
  /** The channels in which it is offered, sorted; absent: each channel that both versions are in. */
  readonly channels?: readonly string[]
}

/** Rules by decreasing precedence: the first one that can be evaluated decides. Other types are never evaluated. */
export interface MatchingRule {
  readonly type: string
  /** PromQL with one result: 1 the cluster is exposed, 0 it is not. */
  readonly promql?: { readonly promql: string }
}

/** Why an update may not be recommended, in the form of Cincinnati's conditional edges. */
export interface ConditionalRisk {
  readonly url: string
  readonly name: string
  readonly message: string
  readonly matchingRules: readonly MatchingRule[]
}

/** Edges that have the same risks. An edge that is unconditional too is conditional: the cluster version operator reads it so. */
export interface ConditionalEdges {
  readonly edges: readonly { readonly from: string; readonly to: string }[]
  readonly risks: readonly ConditionalRisk[]
}

export interface GraphChannel {
  readonly name: string
  /** The message of the deprecation; absent: not deprecated. */
  readonly deprecated?: string
  /** The version that no other version of the channel updates; absent: none, or several. */
  readonly head?: string
}

/** Cycles and edges to older versions are possible: a catalog may have them. */
export interface UpdateGraph {
  readonly nodes: readonly GraphNode[]
  /** Each pair of versions once. */
  readonly edges: readonly GraphEdge[]
  readonly conditionalEdges: readonly ConditionalEdges[]
  /** By name. */
  readonly channels: readonly GraphChannel[]
}

/** An update that the graph has, with all of its risks; without risks it is unconditional. */
export interface GraphLink extends GraphEdge {
  readonly risks: readonly ConditionalRisk[]
}

/** All updates, each pair of versions once: first those of `edges`, then those that are only conditional. */
export function linksOf({
  edges,
  conditionalEdges,
}: Pick<UpdateGraph, 'edges' | 'conditionalEdges'>): readonly GraphLink[] {
  const links = new Map<string, GraphLink>()
  for (const edge of edges) links.set(pairKey(edge), { ...edge, risks: [] })
  for (const { edges: pairs, risks } of conditionalEdges) {
    for (const { from, to } of pairs) {
      const known = links.get(pairKey({ from, to })) ?? { from, to, via: 'graph', risks: [] }
      links.set(pairKey({ from, to }), { ...known, risks: [...known.risks, ...risks] })
    }
  }
  return [...links.values()]
}

function pairKey({ from, to }: { readonly from: string; readonly to: string }): string {
  return `${from} ${to}`
}

/** Whether the channel offers the edge. */
export function isOffered(
  { from, to, channels }: Pick<GraphEdge, 'from' | 'to' | 'channels'>,
  channel: string,
  channelsOf: (version: string) => readonly string[] | undefined,
): boolean {
  if (channels !== undefined) return channels.includes(channel)
  return channelsOf(from)?.includes(channel) === true && channelsOf(to)?.includes(channel) === true
}
