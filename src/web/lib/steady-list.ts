import type { AlertItem } from '../../contract/alerts.ts'
import { isShown } from './alert-view.ts'
import type { AlertView } from './alert-view.ts'
import { countOf, formatCount } from './format-number.ts'
import { toSeverity } from './severity.ts'

/**
 * Lists that do not move under the reader: what is on the screen keeps its place and takes its new values, what is new
 * waits to be asked for, what is gone stays where it was and says so. Pure.
 */

/** A row of a list that was read a while ago. */
export type Steady<T> = T & { readonly isGone?: boolean }

export interface SteadyRows<T> {
  /** What is read, in its order, each as the newest answer has it. */
  readonly rows: readonly Steady<T>[]
  readonly added: readonly T[]
  readonly goneCount: number
}

/** @param read the rows as they were when the reader last asked for them; none: nobody reads, and the newest are shown */
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

/** What came and what went since a list was read. */
export interface ListNews {
  readonly newCount: number
  /** Of those, the ones that cannot wait. */
  readonly newCriticalCount?: number
  readonly goneCount: number
}

/** `2 new alerts, 1 critical, 3 gone`; empty when there is no news. @param noun of one row */
export function newsWords({ newCount, newCriticalCount = 0, goneCount }: ListNews, noun: string): string {
  return [
    ...(newCount === 0 ? [] : [countOf(newCount, `new ${noun}`)]),
    ...(newCriticalCount === 0 ? [] : [`${formatCount(newCriticalCount)} critical`]),
    ...(goneCount === 0 ? [] : [`${formatCount(goneCount)} gone`]),
  ].join(', ')
}

export interface SteadyAlerts extends ListNews {
  /** What is read, in its order, each as the newest answer has it. One that is gone stands as resolved. */
  readonly current: ReadonlyMap<string, AlertItem>
}

/** Alerts of a list that is grouped and filtered: what the filters hide is no news, and what was resolved is not gone. */
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
