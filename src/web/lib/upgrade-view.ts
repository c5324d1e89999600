import { UPGRADE_OPERATORS, UPGRADE_SORTS } from '../../contract/fleet-upgrades.ts'
import { UPGRADE_STATES, type UpgradeState } from '../../model/upgrade.ts'

/** What the history of upgrades is narrowed to, and which of them are compared, as it stands in the URL. Pure. */
export interface UpgradeListView {
  readonly operator: string
  readonly from: string
  readonly to: string
  /** Empty: all. */
  readonly states: readonly UpgradeState[]
  readonly cluster: string
  /** `1d`, `7d`, `30d`, or empty for all there were. */
  readonly began: UpgradeWindow | ''
  readonly sort: UpgradeSort
  readonly order: 'asc' | 'desc'
  /** Ids of two to five that are looked at beside each other. */
  readonly compare: readonly string[]
  /** Durations by cluster size are open. */
  readonly sizes: boolean
}

export type UpgradeSort = (typeof UPGRADE_SORTS)[number]

const DAY_MS = 86_400_000

export const UPGRADE_WINDOWS = [
  { name: '1d', text: 'the last day', ms: DAY_MS },
  { name: '7d', text: 'the last 7 days', ms: 7 * DAY_MS },
  { name: '30d', text: 'the last 30 days', ms: 30 * DAY_MS },
] as const
export type UpgradeWindow = (typeof UPGRADE_WINDOWS)[number]['name']

/** More lines beside each other are not told apart. */
export const COMPARED_MAX = 5

export function parseUpgradeView(search: string): UpgradeListView {
  const params = new URLSearchParams(search)
  const one = (name: string): string => params.get(name) ?? ''
  const asked = params.getAll('state').flatMap((value) => value.split(','))
  const sort = UPGRADE_SORTS.find((name) => name === params.get('sort')) ?? 'started'
  return {
    operator: UPGRADE_OPERATORS.find((name) => name === params.get('operator')) ?? '',
    from: one('from'),
    to: one('to'),
    states: UPGRADE_STATES.filter((state) => asked.includes(state)),
    cluster: one('cluster'),
    began: UPGRADE_WINDOWS.find(({ name }) => name === params.get('began'))?.name ?? '',
    sort,
    order: orderOf(params.get('order'), sort),
    compare: [...new Set(params.getAll('compare'))].filter((id) => id !== '').slice(0, COMPARED_MAX),
    sizes: one('sizes') === 'true',
  }
}

function orderOf(text: string | null, sort: UpgradeSort): 'asc' | 'desc' {
  return text === 'asc' || text === 'desc' ? text : firstUpgradeOrder(sort)
}

/** The direction somebody means who sorts by it. */
export function firstUpgradeOrder(sort: UpgradeSort): 'asc' | 'desc' {
  return sort === 'cluster' ? 'asc' : 'desc'
}

/** What is as by default is left out, so that equal views have equal links. */
export function searchOfUpgradeView(view: UpgradeListView): Readonly<Record<string, string | readonly string[]>> {
  const { operator, from, to, states, cluster, began, sort, order, compare, sizes } = view
  return {
    operator,
    from,
    to,
    state: states,
    cluster,
    began,
    sort: sort === 'started' ? '' : sort,
    order: order === firstUpgradeOrder(sort) ? '' : order,
    compare,
    sizes: sizes ? 'true' : '',
  }
}

/** The same question as the API takes it. The window begins at a whole hour, so that the question stays the same. */
export function questionOfUpgradeView(
  view: UpgradeListView,
  nowMs: number,
): Readonly<Record<string, string | readonly string[]>> {
  const { operator, from, to, states, cluster, began, sort, order } = view
  const window = UPGRADE_WINDOWS.find(({ name }) => name === began)
  const startedFrom = window === undefined ? '' : new Date(wholeHour(nowMs - window.ms)).toISOString()
  return { operator, from, to, state: states, cluster, startedFrom, sort, order }
}

function wholeHour(ms: number): number {
  return Math.floor(ms / 3_600_000) * 3_600_000
}

export function isUpgradeViewNarrowed({ operator, from, to, states, cluster, began }: UpgradeListView): boolean {
  return states.length > 0 || [operator, from, to, cluster, began].some((value) => value !== '')
}
