/**
 * The path to recommend from a version to a target. Of paths in this order the first that exists: recommended updates of the own
 * channel, recommended updates of any channel, all updates of the own channel, all updates.
 */
import { linksOf, type ConditionalRisk, type GraphLink, type UpdateGraph } from '../../model/update-graph.ts'
import type { RunningVersion } from '../clusters/running-versions.ts'
import type { Exposure, GraphRisks } from './risks.ts'
import { shortestPath } from './shortest-path.ts'

export interface PathEnds {
  readonly from: string
  readonly to: string
  /** The own channel; absent: unknown, so those of all channels are one. */
  readonly channel?: string
}

export interface UpdatePath extends PathEnds {
  /** The cluster whose exposure counts; absent: an update with risks is not recommended. */
  readonly cluster?: string
  /** Absent: no path exists. */
  readonly steps?: readonly PathStep[]
  /** Each step is without risks, or without those that the cluster is exposed to. */
  readonly isRecommended: boolean
  /** All steps are offered by the own channel. */
  readonly isInChannel: boolean
}

export interface PathStep extends Pick<GraphLink, 'from' | 'to' | 'via'> {
  readonly channels: readonly string[]
  /** Of the cluster; `unknown` without one. */
  readonly risks: readonly { readonly name: string; readonly exposure: Exposure }[]
}

export async function updatePath(
  graph: UpdateGraph,
  ends: PathEnds,
  risks: GraphRisks,
  cluster: RunningVersion | undefined,
  nowMs: number,
): Promise<UpdatePath> {
  const exposureOf = await exposures(graph, risks, cluster, nowMs)
  const isSafe = (link: GraphLink): boolean => link.risks.every((risk) => exposureOf(risk) === 'not_exposed')
  const inOrder: readonly { readonly isRecommended: boolean; readonly isInChannel: boolean }[] = [
    ...(ends.channel === undefined ? [] : [{ isRecommended: true, isInChannel: true }]),
    { isRecommended: true, isInChannel: false },
    ...(ends.channel === undefined ? [] : [{ isRecommended: false, isInChannel: true }]),
    { isRecommended: false, isInChannel: false },
  ]
  const channelsOf = new Map(graph.nodes.map(({ version, channels }) => [version, channels]))
  const known = { ...ends, ...(cluster === undefined ? {} : { cluster: cluster.cluster }) }
  for (const kind of inOrder) {
    const path = shortestPath(graph, ends.from, ends.to, {
      ...(kind.isInChannel && ends.channel !== undefined ? { channel: ends.channel } : {}),
      ...(kind.isRecommended ? { isAllowed: isSafe } : {}),
    })
    if (path === undefined) continue
    const steps = path.map(({ from, to, via, channels, risks: own }): PathStep => ({
      ...{ from, to, via },
      channels: channels ?? (channelsOf.get(from) ?? []).filter((name) => channelsOf.get(to)?.includes(name) === true),
      risks: own.map((risk) => ({ name: risk.name, exposure: exposureOf(risk) })),
    }))
    return { ...known, ...kind, steps }
  }
  return { ...known, isRecommended: false, isInChannel: false }
}

/** Different risks of one graph that are evaluated for a cluster; further ones are unknown. */
const RISKS_MAX = 200

async function exposures(
  graph: UpdateGraph,
  risks: GraphRisks,
  cluster: RunningVersion | undefined,
  nowMs: number,
): Promise<(risk: ConditionalRisk) => Exposure> {
  if (cluster === undefined) return () => 'unknown'
  const different = new Map(
    linksOf(graph).flatMap((link) => link.risks.map((risk) => [JSON.stringify(risk), risk] as const)),
  )
  const found = new Map<string, Exposure>()
  for (const [key, risk] of [...different].slice(0, RISKS_MAX)) {
    const { of } = await risks.exposure(risk, [cluster.cluster], nowMs)
    found.set(key, of.get(cluster.cluster) ?? 'unknown')
  }
  return (risk) => found.get(JSON.stringify(risk)) ?? 'unknown'
}
