import { UPGRADE_SORTS } from '../../model/fleet-facts.ts'
import { UPGRADE_OPERATORS } from '../../model/upgrade.ts'
import { UPGRADE_STATES } from '../../model/upgrade.ts'
import type { Search } from './address.ts'
import {
  choiceField,
  choicesField,
  flagField,
  sortFields,
  textField,
  textsField,
  viewCodec,
  type ViewOf,
} from './view-codec.ts'

const DAY_MS = 86_400_000

export const UPGRADE_WINDOWS = [
  { name: '1d', text: 'the last day', ms: DAY_MS },
  { name: '7d', text: 'the last 7 days', ms: 7 * DAY_MS },
  { name: '30d', text: 'the last 30 days', ms: 30 * DAY_MS },
] as const
export type UpgradeWindow = (typeof UPGRADE_WINDOWS)[number]['name']

/** More lines cannot be distinguished. */
export const COMPARED_MAX = 5

/** Filters and sort of the upgrade history, and the compared upgrades, in the address. Pure. */
export const UPGRADE_VIEW = viewCodec({
  operator: choiceField<string>('operator', ['', ...UPGRADE_OPERATORS]),
  from: textField('from'),
  to: textField('to'),
  /** Empty: all. */
  states: choicesField('state', UPGRADE_STATES),
  cluster: textField('cluster'),
  /** Empty: all upgrades that are stored. */
  began: choiceField<'' | UpgradeWindow>('began', ['', ...UPGRADE_WINDOWS.map(({ name }) => name)]),
  ...sortFields(['started', ...UPGRADE_SORTS.filter((sort) => sort !== 'started')], 'cluster'),
  /** Ids. */
  compare: textsField('compare', COMPARED_MAX),
  /** Durations by cluster size are open. */
  sizes: flagField('sizes'),
})
export type UpgradeListView = ViewOf<typeof UPGRADE_VIEW>
export type UpgradeSort = UpgradeListView['sort']

/** The view as parameters of the API. The window starts at a whole hour, so that the request stays the same. */
export function questionOfUpgradeView(view: UpgradeListView, nowMs: number): Search {
  const { operator, from, to, states, cluster, began, sort, order } = view
  const window = UPGRADE_WINDOWS.find(({ name }) => name === began)
  const startedFrom = window === undefined ? '' : new Date(wholeHour(nowMs - window.ms)).toISOString()
  return { operator, from, to, state: states, cluster, startedFrom, sort, order }
}

function wholeHour(ms: number): number {
  return Math.floor(ms / 3_600_000) * 3_600_000
}

export function isUpgradeViewNarrowed(view: UpgradeListView): boolean {
  return UPGRADE_VIEW.isNarrowed({ ...view, compare: [], sizes: false })
}
