import type { EdgeItem } from '../../contract/fleet-edges.ts'
import { compareVersions } from './version-order.ts'

/** Orders of the table of edges. Pure. */

export const EDGE_ORDERS = ['worst', 'newest', 'attempts', 'duration', 'last'] as const
export type EdgeOrder = (typeof EDGE_ORDERS)[number]

export function sortEdges(edges: readonly EdgeItem[], order: EdgeOrder): readonly EdgeItem[] {
  return [...edges].sort((a, b) => COMPARES[order](a, b) || newest(a, b))
}

const newest = (a: EdgeItem, b: EdgeItem): number => compareVersions(a.to, b.to) || compareVersions(a.from, b.from)
const ms = (at: string | null): number => (at === null ? 0 : Date.parse(at))

/**
 * The lower bound of success, which says how bad an edge may be. Where nothing failed it says only how few took it: those come
 * after all of which something did. Of which nothing ended, nothing is known: they are no worst ones.
 */
function badness({ success }: Pick<EdgeItem, 'success'>): number {
  if (success === null) return 2
  return success.share < 1 ? success.low - 1 : success.low
}

const COMPARES: Readonly<Record<EdgeOrder, (a: EdgeItem, b: EdgeItem) => number>> = {
  worst: (a, b) => badness(a) - badness(b),
  newest,
  attempts: (a, b) => b.attempts - a.attempts,
  duration: (a, b) => (b.duration.p50Seconds ?? -1) - (a.duration.p50Seconds ?? -1),
  last: (a, b) => ms(b.lastAt) - ms(a.lastAt),
}
