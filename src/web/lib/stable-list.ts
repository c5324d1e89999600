import type { AlertItem } from '../../contract/alerts.ts'
import { isShown, type AlertView } from './alert-view.ts'
import { countOf, formatCount } from './format-number.ts'
import { toSeverity } from './severity.ts'
import type { Now } from '../../contract/now.ts'
import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'

/**
 * Lists whose rows do not move while somebody reads: rows keep their place and get new values, new rows wait until the
 * reader updates the list, removed rows stay and are marked as gone. Pure.
 */

/** A row of a steady list. */
export type Stable<T> = T & { readonly isGone?: boolean }

export interface StableRows<T> {
  /** The shown rows in their order, with the values of the newest answer. */
  readonly rows: readonly Stable<T>[]
  readonly added: readonly T[]
  readonly goneCount: number
}

/** @param read the rows of the last update by the reader; empty: the newest rows are shown */
export function stableRows<T extends object>(
  read: readonly T[],
  newest: readonly T[],
  keyOf: (row: T) => string,
): StableRows<T> {
  if (read.length === 0) return { rows: newest, added: [], goneCount: 0 }
  const fresh = new Map(newest.map((row) => [keyOf(row), row]))
  let goneCount = 0
  const rows = read.map((row): Stable<T> => {
    const now = fresh.get(keyOf(row))
    if (now !== undefined) return now
    goneCount++
    return { ...row, isGone: true }
  })
  const known = new Set(read.map(keyOf))
  return { rows, added: newest.filter((row) => !known.has(keyOf(row))), goneCount }
}

/** Rows that were added and removed since the reader last updated the list. */
export interface ListChanges {
  readonly newCount: number
  /** New rows of critical severity. */
  readonly newCriticalCount?: number
  readonly goneCount: number
}

/** `2 new alerts, 1 critical, 3 removed`; empty without changes. @param noun of one row */
export function changesText({ newCount, newCriticalCount = 0, goneCount }: ListChanges, noun: string): string {
  return [
    ...(newCount === 0 ? [] : [countOf(newCount, `new ${noun}`)]),
    ...(newCriticalCount === 0 ? [] : [`${formatCount(newCriticalCount)} critical`]),
    ...(goneCount === 0 ? [] : [`${formatCount(goneCount)} removed`]),
  ].join(', ')
}

export interface StableAlerts extends ListChanges {
  /** The shown alerts in their order, with the values of the newest answer. A removed alert is resolved. */
  readonly current: ReadonlyMap<string, AlertItem>
}

/** The same for alerts: filtered-out alerts are no change, and a resolved alert is not gone. */
export function stableAlerts(read: readonly AlertItem[], newest: readonly AlertItem[], view: AlertView): StableAlerts {
  const known = new Set(read.map(({ fingerprint }) => fingerprint))
  const { rows } = stableRows(read, newest, ({ fingerprint }) => fingerprint)
  const current = new Map<string, AlertItem>()
  let goneCount = 0
  for (const { isGone, ...alert } of read.length === 0 ? [] : rows) {
    if (isGone === true && alert.state !== 'resolved') goneCount++
    current.set(alert.fingerprint, isGone === true ? { ...alert, state: 'resolved' } : alert)
  }
  const added = newest.filter((alert) => !known.has(alert.fingerprint) && isShown(alert, view))
  return {
    current,
    newCount: added.length,
    newCriticalCount: added.filter(({ severity }) => toSeverity(severity) === 'critical').length,
    goneCount,
  }
}

type ListName = 'stuck' | 'upgrading' | 'following' | 'waiting' | 'silent' | 'fallingEdges'

/** The landing page with stable lists and the newest numbers. Rows may be gone. */
export type StableNow = Omit<Now, ListName | 'firing'> & {
  readonly [K in ListName]: Omit<Now[K], 'items'> & { readonly items: readonly Stable<Now[K]['items'][number]>[] }
} & {
  readonly firing: Omit<Now['firing'], 'groups'> & {
    readonly groups: readonly Stable<Now['firing']['groups'][number]>[]
  }
}

const groupKey = ({ alertname, severity, healthImpact }: Now['firing']['groups'][number]): string =>
  `${alertname} ${severity} ${healthImpact}`

/** @param read the answer at the reader's last refresh */
export function stableNow(read: Now, newest: Now): { readonly now: StableNow; readonly news: ListChanges } {
  let [newCount, goneCount] = [0, 0]
  const steady = <T extends object>(before: readonly T[], after: readonly T[], keyOf: (row: T) => string) => {
    const list = stableRows(before, after, keyOf)
    newCount += list.added.length
    goneCount += list.goneCount
    return list.rows
  }
  const { stuck, upgrading, following, waiting, silent, firing, fallingEdges } = newest
  const now = {
    ...newest,
    stuck: { ...stuck, items: steady(read.stuck.items, stuck.items, ({ id }) => id) },
    upgrading: { ...upgrading, items: steady(read.upgrading.items, upgrading.items, ({ id }) => id) },
    following: { ...following, items: steady(read.following.items, following.items, ({ id }) => id) },
    waiting: { ...waiting, items: steady(read.waiting.items, waiting.items, ({ id }) => id) },
    silent: { ...silent, items: steady(read.silent.items, silent.items, ({ cluster }) => cluster) },
    firing: { ...firing, groups: steady(read.firing.groups, firing.groups, groupKey) },
    fallingEdges: {
      ...fallingEdges,
      items: steady(
        read.fallingEdges.items,
        fallingEdges.items,
        ({ operator, from, to, against }) => `${operator} ${from} ${to} ${against}`,
      ),
    },
  }
  return { now, news: { newCount, goneCount } }
}

/** A list of upgrades of which only the newest are polled. */
export interface UpgradeNews {
  /** The shown rows in their order, with their newest values. */
  readonly rows: readonly UpgradeItem[]
  /** The number of upgrades since then. */
  readonly newCount: number
}

/**
 * @param newest by start, newest first, with the same filters
 * @param isNewestFirst whether the list is in that order too, from its first row on
 * @param readMs when its first row was read
 */
export function newUpgrades(
  read: readonly UpgradeItem[],
  newest: readonly UpgradeItem[],
  isNewestFirst: boolean,
  readMs: number,
): UpgradeNews {
  const fresh = new Map(newest.map((upgrade) => [upgrade.id, upgrade]))
  const known = new Set(read.map(({ id }) => id))
  // In another order an unread upgrade may be old and further down; its start decides.
  const isNew = ({ id, startedAt }: UpgradeItem): boolean =>
    !known.has(id) && (isNewestFirst || (startedAt !== null && Date.parse(startedAt) > readMs))
  return { rows: read.map((upgrade) => fresh.get(upgrade.id) ?? upgrade), newCount: newest.filter(isNew).length }
}
