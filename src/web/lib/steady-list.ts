import type { AlertItem } from '../../contract/alerts.ts'
import { isShown, type AlertView } from './alert-view.ts'
import { countOf, formatCount } from './format-number.ts'
import { toSeverity } from './severity.ts'

/**
 * Lists whose rows do not move while somebody reads: rows keep their place and get new values, new rows wait until the
 * reader updates the list, removed rows stay and are marked as gone. Pure.
 */

/** A row of a steady list. */
export type Steady<T> = T & { readonly isGone?: boolean }

export interface SteadyRows<T> {
  /** The shown rows in their order, with the values of the newest answer. */
  readonly rows: readonly Steady<T>[]
  readonly added: readonly T[]
  readonly goneCount: number
}

/** @param read the rows of the last update by the reader; empty: the newest rows are shown */
export function steadyRows<T extends object>(
  read: readonly T[],
  newest: readonly T[],
  keyOf: (row: T) => string,
): SteadyRows<T> {
  if (read.length === 0) return { rows: newest, added: [], goneCount: 0 }
  const fresh = new Map(newest.map((row) => [keyOf(row), row]))
  let goneCount = 0
  const rows = read.map((row): Steady<T> => {
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

/** `2 new alerts, 1 critical, 3 gone`; empty without changes. @param noun of one row */
export function changesText({ newCount, newCriticalCount = 0, goneCount }: ListChanges, noun: string): string {
  return [
    ...(newCount === 0 ? [] : [countOf(newCount, `new ${noun}`)]),
    ...(newCriticalCount === 0 ? [] : [`${formatCount(newCriticalCount)} critical`]),
    ...(goneCount === 0 ? [] : [`${formatCount(goneCount)} gone`]),
  ].join(', ')
}

export interface SteadyAlerts extends ListChanges {
  /** The shown alerts in their order, with the values of the newest answer. A removed alert is resolved. */
  readonly current: ReadonlyMap<string, AlertItem>
}

/** The same for alerts: filtered-out alerts are no change, and a resolved alert is not gone. */
export function steadyAlerts(read: readonly AlertItem[], newest: readonly AlertItem[], view: AlertView): SteadyAlerts {
  const known = new Set(read.map(({ fingerprint }) => fingerprint))
  const { rows } = steadyRows(read, newest, ({ fingerprint }) => fingerprint)
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
