/**
 * Graphs in Cincinnati's form (docs/design/cincinnati.md of openshift/cincinnati): read into the model, and written from it. What
 * was read is written unchanged: nodes in their order, edges as pairs of indexes, conditional edges in their groups.
 */
import type {
  ConditionalEdges,
  ConditionalRisk,
  GraphNode,
  MatchingRule,
  UpdateGraph,
} from '../../model/update-graph.ts'
import { isOffered } from '../../model/update-graph.ts'
import { compareTexts } from '../version-order.ts'
import { EDGES_MAX } from './catalog-graph.ts'
import { Fields, MESSAGE_CHARS_MAX, refused, shownValue, type PlaceOf } from './fields.ts'

export interface CincinnatiGraph {
  readonly version: 1
  readonly nodes: readonly CincinnatiNode[]
  readonly edges: readonly (readonly [number, number])[]
  readonly conditionalEdges: readonly ConditionalEdges[]
}

interface CincinnatiNode {
  readonly version: string
  readonly payload: string
  readonly metadata: Readonly<Record<string, string>>
}

export const CHANNELS_KEY = 'io.openshift.upgrades.graph.release.channels'

const NODES_MAX = 5000
const GROUPS_MAX = 10_000
const RISKS_MAX = 100
const METADATA_MAX = 100

/**
 * @param channel of nodes whose metadata names none; absent: such nodes are in no channel
 * @param placeOf names the place of a value in messages
 * Throws `bad_request` for what is not in the documented form, with its place.
 */
export function readCincinnati(value: unknown, channel: string | undefined, placeOf: PlaceOf): UpdateGraph {
  const fields = new Fields(value, '', placeOf)
  const format = fields.value('version')
  if (format !== undefined && format !== 1) throw fields.refusal('version', '1, the version of the format')
  if (!Array.isArray(fields.value('nodes'))) throw fields.refusal('nodes', 'a list')
  const known = new Set<string>()
  const nodes = fields.list('nodes', NODES_MAX).map((node): GraphNode => {
    const version = node.text('version')
    if (known.has(version)) throw node.refusal('version', 'each version once')
    known.add(version)
    const metadata = metadataOf(node)
    return { version, channels: channelsOf(metadata, channel), payload: node.text('payload', 2000), metadata }
  })
  const seen = new Set<string>()
  const edges = pairs(fields, placeOf, nodes.length).flatMap(([from, to]) => {
    const edge = { from: nodes[from]!.version, to: nodes[to]!.version, via: 'graph' as const }
    const key = `${edge.from} ${edge.to}`
    if (seen.has(key)) return []
    seen.add(key)
    return [edge]
  })
  const conditionalEdges = fields.list('conditionalEdges', GROUPS_MAX).map(conditionalOf)
  const pairCount = conditionalEdges.reduce((sum, group) => sum + group.edges.length, edges.length)
  if (pairCount > EDGES_MAX) throw refused(placeOf('edges'), `${pairCount} updates`, `at most ${EDGES_MAX}`)
  const channels = [...new Set(nodes.flatMap((node) => node.channels))].sort(compareTexts).map((name) => ({ name }))
  return { nodes, edges, conditionalEdges, channels }
}

function pairs(fields: Fields, placeOf: PlaceOf, count: number): readonly (readonly [number, number])[] {
  const value = fields.value('edges')
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw fields.refusal('edges', 'a list')
  if (value.length > EDGES_MAX) throw refused(placeOf('edges'), `${value.length} updates`, `at most ${EDGES_MAX}`)
  return value.map((pair: unknown, i) => {
    const isPair =
      Array.isArray(pair) &&
      pair.length === 2 &&
      pair.every((index) => Number.isInteger(index) && (index as number) >= 0 && (index as number) < count)
    if (isPair) return pair as unknown as readonly [number, number]
    throw refused(placeOf(`edges[${i}]`), shownValue(pair), `two indexes of nodes, from 0 to ${count - 1}`)
  })
}

function metadataOf(node: Fields): Readonly<Record<string, string>> {
  const metadata = node.mapping('metadata')
  if (metadata === undefined) return {}
  const entries = metadata.entries()
  if (entries.length > METADATA_MAX) throw node.refusal('metadata', `at most ${METADATA_MAX} entries`)
  // By fromEntries: a key may be `__proto__`.
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (typeof value === 'string' && value.length <= MESSAGE_CHARS_MAX) return [key, value]
      throw metadata.refusal(key, 'a text')
    }),
  )
}

function channelsOf(metadata: Readonly<Record<string, string>>, channel: string | undefined): readonly string[] {
  const declared = Object.hasOwn(metadata, CHANNELS_KEY) ? metadata[CHANNELS_KEY]! : undefined
  if (declared === undefined) return channel === undefined ? [] : [channel]
  const names = declared.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))].sort(compareTexts)
}

function conditionalOf(group: Fields): ConditionalEdges {
  const edges = group.list('edges', EDGES_MAX).map((edge) => ({ from: edge.text('from'), to: edge.text('to') }))
  return { edges, risks: group.list('risks', RISKS_MAX).map(riskOf) }
}

function riskOf(risk: Fields): ConditionalRisk {
  return {
    url: risk.optionalText('url', 2000) ?? '',
    name: risk.text('name'),
    message: risk.optionalText('message', MESSAGE_CHARS_MAX) ?? '',
    matchingRules: risk.list('matchingRules', RISKS_MAX).map((rule): MatchingRule => {
      const promql = rule.mapping('promql')?.optionalText('promql', MESSAGE_CHARS_MAX)
      return { type: rule.text('type'), ...(promql === undefined ? {} : { promql: { promql } }) }
    }),
  }
}

/** What a channel offers; the whole graph without one. Nodes in the order of the graph. */
export function cincinnatiOf(graph: UpdateGraph, channel?: string): CincinnatiGraph {
  const shown = graph.nodes.filter(({ channels }) => channel === undefined || channels.includes(channel))
  const index = new Map(shown.map(({ version }, i) => [version, i]))
  const channels = new Map(shown.map((node) => [node.version, node.channels]))
  const isIn = (edge: UpdateGraph['edges'][number]): boolean =>
    channel === undefined || isOffered(edge, channel, (version) => channels.get(version))
  const edges = graph.edges.flatMap((edge): (readonly [number, number])[] => {
    const [from, to] = [index.get(edge.from), index.get(edge.to)]
    return from === undefined || to === undefined || !isIn(edge) ? [] : [[from, to]]
  })
  const conditionalEdges = graph.conditionalEdges.flatMap(({ edges: all, risks }) => {
    const own = all.filter(({ from, to }) => index.has(from) && index.has(to))
    return own.length === 0 ? [] : [{ edges: own, risks }]
  })
  return { version: 1, nodes: shown.map(nodeOf), edges, conditionalEdges }
}

function nodeOf({ version, payload = version, metadata, channels }: GraphNode): CincinnatiNode {
  return { version, payload, metadata: metadata ?? { [CHANNELS_KEY]: channels.join(',') } }
}
