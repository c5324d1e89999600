import type { EdgeItem } from '../../contract/fleet-edges.ts'
import { compareVersions } from './version-order.ts'

/** How edges are looked at, as it stands in the address: over upgrades that began lately or all, beside which other. Pure. */

export const EDGE_WINDOWS = [
  { value: '7d', text: 'This week' },
  { value: '30d', text: '30 d' },
  { value: '', text: 'All' },
] as const
export type EdgeWindow = (typeof EDGE_WINDOWS)[number]['value']

export function parseEdgeWindow(search: string): EdgeWindow {
  const asked = new URLSearchParams(search).get('window')
  return EDGE_WINDOWS.find(({ value }) => value === asked)?.value ?? ''
}

/** What of the address a page about an edge shows besides the edge. */
export interface EdgeView {
  readonly window: EdgeWindow
  /** `from..to` of an edge beside it; empty: none. */
  readonly than: string
  /** Whose durations by size are shown; empty: of the whole upgrade. */
  readonly phase: string
  readonly runs: 'plot' | 'table'
}

export function parseEdgeView(search: string): EdgeView {
  const params = new URLSearchParams(search)
  return {
    window: parseEdgeWindow(search),
    than: params.get('than') ?? '',
    phase: params.get('phase') ?? '',
    runs: params.get('runs') === 'table' ? 'table' : 'plot',
  }
}

/** What is usual is left out. */
export function searchOfEdgeView({ runs, ...rest }: EdgeView): Readonly<Record<string, string>> {
  return { ...rest, runs: runs === 'plot' ? '' : runs }
}

const SAYS: Readonly<Record<EdgeWindow, string>> = {
  '7d': 'over upgrades that began in the last 7 days',
  '30d': 'over upgrades that began in the last 30 days',
  '': 'over all upgrades that are kept',
}

export function edgeWindowWords(window: EdgeWindow): string {
  return SAYS[window]
}

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
