/**
 * What each receiver was last told of each group: the one memory that makes a message news or not. Entries are durable
 * before a message counts as told, so a restart repeats at most the messages that were on their way.
 */
import type { NotificationLogEntry } from '../model/notification-log.ts'
import type { DecisionReason } from './pipeline.ts'

/** Under which the log remembers: the same over restarts, as long as the receiver's list keeps its order. */
export function logKeyOf(groupKey: string, receiver: string, kind: string, index: number): string {
  return JSON.stringify([groupKey, receiver, kind, index])
}

export interface Told {
  readonly firing: ReadonlySet<string>
  readonly resolved: ReadonlySet<string>
}

/** Whether a receiver is told of these alerts; `sends` also where only the log has to change. */
export function dedupe(
  entry: NotificationLogEntry | undefined,
  now: Told,
  options: { readonly sendResolved: boolean; readonly repeatIntervalMs: number; readonly nowMs: number },
): { readonly sends: boolean; readonly logs: boolean; readonly reason: DecisionReason } {
  const hold = (reason: DecisionReason) => ({ sends: false, logs: false, reason })
  const send = (reason: DecisionReason) => ({ sends: true, logs: true, reason })
  if (entry === undefined) return now.firing.size > 0 ? send('first') : hold('only_resolved')
  if (!isSubset(now.firing, entry.firing)) return send(entry.firing.length === 0 ? 'first' : 'new_alerts')
  if (now.firing.size === 0) {
    if (entry.firing.length === 0) return hold('only_resolved')
    return options.sendResolved ? send('resolved') : { sends: false, logs: true, reason: 'cleared' }
  }
  if (options.sendResolved && !isSubset(now.resolved, entry.resolved)) return send('resolved')
  // A clock that was set back must not silence anybody.
  const sinceMs = Math.abs(options.nowMs - entry.atMs)
  return sinceMs >= options.repeatIntervalMs ? send('repeat_due') : hold('nothing_new')
}

function isSubset(part: ReadonlySet<string>, whole: readonly string[]): boolean {
  const set = new Set(whole)
  return [...part].every((item) => set.has(item))
}
