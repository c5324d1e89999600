import type { AlertItem } from '../../contract/alerts.ts'
import { isShown } from './alert-view.ts'
import type { AlertView } from './alert-view.ts'
import { toSeverity } from './severity.ts'

/**
 * A list that does not move under the reader: what is on the screen keeps its place and takes its new values, what is
 * new waits to be asked for. Pure.
 */
export interface SteadyList {
  /** What is read, in its order, each as the newest answer has it. One that is gone stands as resolved. */
  readonly current: ReadonlyMap<string, AlertItem>
  /** New, and passing the view. */
  readonly newCount: number
  readonly newCriticalCount: number
  /** In the list, and no longer reported. */
  readonly goneCount: number
}

/** @param read the alerts as they were when the reader last asked for the list */
export function steadyList(read: readonly AlertItem[], newest: readonly AlertItem[], view: AlertView): SteadyList {
  const fresh = new Map(newest.map((alert) => [alert.fingerprint, alert]))
  const current = new Map<string, AlertItem>()
  let goneCount = 0
  for (const alert of read) {
    const now = fresh.get(alert.fingerprint)
    if (now === undefined && alert.state !== 'resolved') goneCount++
    current.set(alert.fingerprint, now ?? { ...alert, state: 'resolved' })
  }
  const added = newest.filter((alert) => !current.has(alert.fingerprint) && isShown(alert, view))
  return {
    current,
    newCount: added.length,
    newCriticalCount: added.filter(({ severity }) => toSeverity(severity) === 'critical').length,
    goneCount,
  }
}
