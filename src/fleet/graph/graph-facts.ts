/**
 * What the fleet adds to the update graph of an operator: the clusters on each version, the measured success of each update, whom
 * conditional risks apply to, versions that no update leads away from, and the path from a version to a target.
 */
import type { GraphOperator } from '../../model/graph-import.ts'
import type { StrandedVersion, StrandingReason } from '../../model/stranded.ts'
import type { RolloutDecision } from '../../model/rollout-verdict.ts'
import type { EdgeFacts } from '../../model/stuck.ts'
import {
  isOffered,
  linksOf,
  type ConditionalRisk,
  type EdgeVia,
  type GraphLink,
  type UpdateGraph,
} from '../../model/update-graph.ts'
import type { RunningVersion } from '../clusters/running-versions.ts'
import { compareTexts, compareVersions } from '../version-order.ts'
import { deadEnds } from './dead-ends.ts'
import { updatePath, type UpdatePath } from './update-path.ts'
import type { Exposure, GraphRisks } from './risks.ts'
import type { ImportFacts, OperatorGraph } from './update-graphs.ts'

export interface GraphQuery {
  readonly operator: GraphOperator
  /** Only what this channel offers. */
  readonly channel?: string
  /** The path to this version, from `from` or from the version of `cluster`. */
  readonly to?: string
  readonly from?: string
  /** A name or an alias. */
  readonly cluster?: string
}

export interface VersionFacts {
  readonly version: string
  readonly channels: readonly string[]
  readonly deprecated?: string
  readonly maxOpenShiftVersion?: string
  /** Recently reporting clusters that run it. */
  readonly clusters: number
  /** False: clusters run it, and the graph does not have it. */
  readonly isInGraph: boolean
  /** No update leads from it to a newer version, though the graph has one of the same major. */
  readonly isDeadEnd: boolean
  /** By observed upgrades. */
  readonly stranded?: StrandingReason
  /** On upgrades to it; absent: no cluster started one in the last 30 days. */
  readonly verdict?: RolloutDecision
}

export interface LinkFacts {
  readonly from: string
  readonly to: string
  readonly via: EdgeVia
  /** The channels that offer it. */
  readonly channels: readonly string[]
  /** Names of its conditional risks. */
  readonly risks: readonly string[]
  /** Of upgrades on it; 0: none was observed. */
  readonly attempts: number
  readonly success?: NonNullable<EdgeFacts['success']>
}

export interface RiskFacts {
  readonly risk: ConditionalRisk
  /** Of the clusters on a version from which an update has the risk. */
  readonly counts: Readonly<Record<Exposure, number>>
  /** By name. */
  readonly exposed: readonly string[]
  /** Why some are unknown. */
  readonly notes: readonly string[]
}

export interface ChannelFacts {
  readonly name: string
  readonly deprecated?: string
  readonly head?: string
  readonly versions: number
  /** Whose Subscription has it. */
  readonly clusters: number
}

export interface GraphFacts {
  readonly imports: readonly ImportFacts[]
  /** Of the whole graph, by name. */
  readonly channels: readonly ChannelFacts[]
  /** The oldest first. */
  readonly versions: readonly VersionFacts[]
  /** Those from versions with many clusters first; at most `LINKS_SHOWN_MAX` of `linksTotal`. */
  readonly links: readonly LinkFacts[]
  readonly linksTotal: number
  /** Those of most exposed clusters first. */
  readonly risks: readonly RiskFacts[]
  readonly path?: UpdatePath
}

export const LINKS_SHOWN_MAX = 5000
/** Different risks that one answer evaluates. */
const RISKS_MAX = 100

export interface GraphInputs {
  readonly operatorGraph: OperatorGraph
  readonly running: readonly RunningVersion[]
  readonly edges: readonly EdgeFacts[]
  readonly stranded: readonly StrandedVersion[]
  /** Verdicts on rollouts, by version. */
  readonly verdicts: ReadonlyMap<string, RolloutDecision>
  readonly risks: GraphRisks
  /** The cluster of the query with what it runs; absent: none is named, or it is unknown. */
  readonly cluster?: RunningVersion
  readonly nowMs: number
}

export async function graphFacts(query: GraphQuery, inputs: GraphInputs): Promise<GraphFacts> {
  const { operatorGraph, running, nowMs } = inputs
  const { graph, imports } = operatorGraph
  const links = linksOf(graph)
  const shown = linksIn(graph, links, query.channel)
  const clustersOn = new Map<string, string[]>()
  for (const { cluster, version } of running) {
    const known = clustersOn.get(version)
    if (known === undefined) clustersOn.set(version, [cluster])
    else known.push(cluster)
  }
  const countOn = (version: string): number => clustersOn.get(version)?.length ?? 0
  const exposures = await riskFacts(shown, clustersOn, inputs)
  const from = query.from ?? inputs.cluster?.version
  const path =
    query.to === undefined || from === undefined
      ? undefined
      : await updatePath(
          graph,
          { from, to: query.to, ...ownChannel(query, inputs) },
          inputs.risks,
          inputs.cluster,
          nowMs,
        )
  return {
    imports,
    channels: channelFacts(graph, running),
    versions: versionFacts(graph, query.channel, shown, countOn, inputs),
    links: linkFacts(shown, graph, countOn, inputs.edges).slice(0, LINKS_SHOWN_MAX),
    linksTotal: shown.length,
    risks: exposures,
    ...(path === undefined ? {} : { path }),
  }
}

function ownChannel({ channel }: GraphQuery, { cluster }: GraphInputs): { readonly channel?: string } {
  const own = channel ?? cluster?.channel
  return own === undefined ? {} : { channel: own }
}

function linksIn(graph: UpdateGraph, links: readonly GraphLink[], channel: string | undefined): readonly GraphLink[] {
  if (channel === undefined) return links
  const channelsOf = new Map(graph.nodes.map((node) => [node.version, node.channels]))
  return links.filter((link) => isOffered(link, channel, (version) => channelsOf.get(version)))
}

function channelFacts({ nodes, channels }: UpdateGraph, running: readonly RunningVersion[]): readonly ChannelFacts[] {
  return channels.map((channel) => ({
    ...channel,
    versions: nodes.filter((node) => node.channels.includes(channel.name)).length,
    clusters: running.filter((one) => one.channel === channel.name).length,
  }))
}

function versionFacts(
  graph: UpdateGraph,
  channel: string | undefined,
  shown: readonly GraphLink[],
  countOn: (version: string) => number,
  { running, stranded, verdicts }: GraphInputs,
): readonly VersionFacts[] {
  const strandedOf = new Map(stranded.map(({ version, reason }) => [version, reason]))
  const ends = deadEnds(graph)
  const left = new Set(shown.map(({ from }) => from))
  const own = graph.nodes.filter(
    ({ version, channels }) =>
      // Of a version that a channel only updates from, the clusters are what counts.
      (channel === undefined ? channels.length > 0 : channels.includes(channel)) ||
      (left.has(version) && countOn(version) > 0),
  )
  const inGraph = new Set(graph.nodes.map(({ version }) => version))
  const others = channel === undefined ? [...new Set(running.map(({ version }) => version))] : []
  const unknown = others.filter((version) => !inGraph.has(version)).map((version) => ({ version, channels: [] }))
  return [...own, ...unknown]
    .map(({ version, channels, deprecated, maxOpenShiftVersion }: UpdateGraph['nodes'][number]): VersionFacts => {
      const reason = strandedOf.get(version)
      const verdict = verdicts.get(version)
      return {
        ...{
          version,
          channels,
          clusters: countOn(version),
          isInGraph: inGraph.has(version),
          isDeadEnd: ends.has(version),
        },
        ...(deprecated === undefined ? {} : { deprecated }),
        ...(maxOpenShiftVersion === undefined ? {} : { maxOpenShiftVersion }),
        ...(reason === undefined ? {} : { stranded: reason }),
        ...(verdict === undefined ? {} : { verdict }),
      }
    })
    .sort((a, b) => compareVersions(a.version, b.version))
}

function linkFacts(
  links: readonly GraphLink[],
  { nodes }: UpdateGraph,
  countOn: (version: string) => number,
  edges: readonly EdgeFacts[],
): readonly LinkFacts[] {
  const measured = new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, edge]))
  const channelsOf = new Map(nodes.map(({ version, channels }) => [version, channels]))
  return links
    .map(({ from, to, via, channels, risks }): LinkFacts => {
      const edge = measured.get(`${from} ${to}`)
      const common =
        channels ?? (channelsOf.get(from) ?? []).filter((name) => channelsOf.get(to)?.includes(name) === true)
      return {
        ...{ from, to, via, channels: common, risks: [...new Set(risks.map(({ name }) => name))] },
        attempts: edge?.attempts ?? 0,
        ...(edge?.success === undefined ? {} : { success: edge.success }),
      }
    })
    .sort((a, b) => countOn(b.from) - countOn(a.from) || compareVersions(b.from, a.from) || compareVersions(b.to, a.to))
}

async function riskFacts(
  links: readonly GraphLink[],
  clustersOn: ReadonlyMap<string, readonly string[]>,
  { risks, nowMs }: GraphInputs,
): Promise<readonly RiskFacts[]> {
  const found = new Map<string, { readonly risk: ConditionalRisk; readonly clusters: Set<string> }>()
  for (const { from, risks: own } of links) {
    for (const risk of own) {
      const key = JSON.stringify(risk)
      const known = found.get(key) ?? { risk, clusters: new Set() }
      for (const cluster of clustersOn.get(from) ?? []) known.clusters.add(cluster)
      found.set(key, known)
    }
  }
  // Those that concern most clusters are evaluated first.
  const inOrder = [...found.values()].sort((a, b) => b.clusters.size - a.clusters.size)
  const facts: RiskFacts[] = []
  for (const { risk, clusters } of inOrder.slice(0, RISKS_MAX)) {
    const { of, notes } = await risks.exposure(risk, [...clusters].sort(compareTexts), nowMs)
    const counts: Record<Exposure, number> = { exposed: 0, not_exposed: 0, unknown: 0 }
    for (const exposure of of.values()) counts[exposure]++
    facts.push({ risk, counts, notes, exposed: [...of].filter(([, one]) => one === 'exposed').map(([name]) => name) })
  }
  return facts.sort((a, b) => b.counts.exposed - a.counts.exposed || compareTexts(a.risk.name, b.risk.name))
}
