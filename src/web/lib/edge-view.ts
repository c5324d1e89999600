import { UPGRADE_OPERATORS } from '../../model/upgrade.ts'
import { choiceField, textField, viewCodec, type ViewOf } from './view-codec.ts'
import type { EdgeItem } from '../../contract/fleet-edges.ts'
import { compareVersions } from './version-order.ts'

/** The state of the pages of edges in their addresses. Pure. */

export const EDGE_WINDOWS = [
  { value: '7d', text: 'This week' },
  { value: '30d', text: '30 d' },
  { value: '', text: 'All' },
] as const
export type EdgeWindow = (typeof EDGE_WINDOWS)[number]['value']

const windowField = choiceField<EdgeWindow>('window', ['', '7d', '30d'])

/** One edge. */
export const EDGE_VIEW = viewCodec({
  window: windowField,
  /** `from..to` of an edge to compare with; empty: none. */
  than: textField('than'),
  /** The phase whose durations by size are shown; empty: the whole upgrade. */
  phase: textField('phase'),
  runs: choiceField('runs', ['plot', 'table']),
})
export type EdgeView = ViewOf<typeof EDGE_VIEW>

export const EDGE_ORDERS = ['worst', 'newest', 'attempts', 'duration', 'last'] as const
export type EdgeOrder = (typeof EDGE_ORDERS)[number]

/** All edges. */
export const EDGES_VIEW = viewCodec({
  order: choiceField('order', EDGE_ORDERS),
  operator: choiceField<'' | (typeof UPGRADE_OPERATORS)[number]>('operator', ['', ...UPGRADE_OPERATORS]),
  window: windowField,
  show: choiceField('show', ['', 'stranded', 'offered']),
  /** Of the update graph: one channel, and the ends of a path; empty: all, none. */
  channel: textField('channel'),
  from: textField('from'),
  to: textField('to'),
})
export type EdgesView = ViewOf<typeof EDGES_VIEW>

const WINDOW_TEXTS: Readonly<Record<EdgeWindow, string>> = {
  '7d': 'upgrades started in the last 7 days',
  '30d': 'upgrades started in the last 30 days',
  '': 'all stored upgrades',
}

export function edgeWindowWords(window: EdgeWindow): string {
  return WINDOW_TEXTS[window]
}

export function sortEdges(edges: readonly EdgeItem[], order: EdgeOrder): readonly EdgeItem[] {
  return [...edges].sort((a, b) => COMPARES[order](a, b) || newest(a, b))
}

const newest = (a: EdgeItem, b: EdgeItem): number => compareVersions(a.to, b.to) || compareVersions(a.from, b.from)
const ms = (at: string | null): number => (at === null ? 0 : Date.parse(at))

/**
 * The lower bound of success. Edges without failures follow those with any, because their bound only reflects few attempts; edges
 * without an ended attempt are last.
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
