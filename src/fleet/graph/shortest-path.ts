/** Paths over an update graph. Pure. */
import { isOffered, linksOf, type GraphLink, type UpdateGraph } from '../../model/update-graph.ts'
import { compareVersions } from '../version-order.ts'

export interface PathLimits {
  /** Only updates that this channel offers; absent: of any channel. */
  readonly channel?: string
  /** Updates that may be used; absent: all. */
  readonly isAllowed?: (link: GraphLink) => boolean
}

/**
 * The fewest updates from one version to another. Among paths of equal length the one with the fewest conditional updates,
 * then the one with the newest versions. Never over an older version. Empty: it is there already. `undefined`: there is none.
 */
export function shortestPath(
  graph: UpdateGraph,
  from: string,
  to: string,
  { channel, isAllowed = () => true }: PathLimits = {},
): readonly GraphLink[] | undefined {
  if (from === to) return []
  const channelsOf = new Map(graph.nodes.map(({ version, channels }) => [version, channels]))
  const incoming = new Map<string, GraphLink[]>()
  for (const link of linksOf(graph)) {
    if (compareVersions(link.from, link.to) >= 0 || !isAllowed(link)) continue
    if (channel !== undefined && !isOffered(link, channel, (version) => channelsOf.get(version))) continue
    const links = incoming.get(link.to)
    if (links === undefined) incoming.set(link.to, [link])
    else links.push(link)
  }
  // From the target backwards, level by level, so that each version knows its best next update.
  const best = new Map<string, { readonly conditional: number; readonly next?: GraphLink }>([[to, { conditional: 0 }]])
  for (let level = [to]; level.length > 0 && !best.has(from);) {
    const found = new Map<string, { readonly conditional: number; readonly next: GraphLink }>()
    for (const version of level) {
      for (const link of incoming.get(version) ?? []) {
        if (best.has(link.from)) continue
        const conditional = best.get(version)!.conditional + (link.risks.length > 0 ? 1 : 0)
        const known = found.get(link.from)
        const order =
          known === undefined ? -1 : conditional - known.conditional || compareVersions(known.next.to, link.to)
        if (order < 0) found.set(link.from, { conditional, next: link })
      }
    }
    for (const [version, step] of found) best.set(version, step)
    level = [...found.keys()]
  }
  if (!best.has(from)) return undefined
  const path: GraphLink[] = []
  for (let next = best.get(from)?.next; next !== undefined; next = best.get(next.to)?.next) path.push(next)
  return path
}
