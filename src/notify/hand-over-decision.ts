/** Whether an alert is handed over to Alertmanagers, and why. */
import type { Alert } from '../model/alert.ts'
import type { NotifyReason } from './notify-reason.ts'

/** A resolved alert is repeated this long, for a receiver that was away. */
export const RESOLVED_REPEAT_MS = 15 * 60_000

/** What was last handed over of an alert. */
export interface HandedOver {
  readonly atMs: number
  readonly state: 'firing' | 'resolved'
  readonly activeAtMs: number
}

export interface HandOverDecision {
  readonly sends: boolean
  readonly reason: NotifyReason
}

export function decideHandOver(
  alert: Alert,
  last: HandedOver | undefined,
  nowMs: number,
  resendDelayMs: number,
): HandOverDecision {
  const send = (reason: NotifyReason): HandOverDecision => ({ sends: true, reason })
  const hold = (reason: NotifyReason): HandOverDecision => ({ sends: false, reason })
  if (alert.state === 'pending') return hold('pending')
  if (alert.state === 'resolved') {
    if (nowMs - (alert.resolvedAtMs ?? nowMs) > RESOLVED_REPEAT_MS) return hold('resolved_long_ago')
    // Also when its firing was not handed over: that may have been before a restart.
    if (last?.state !== 'resolved') return send('resolved')
  } else if (last?.state !== 'firing' || last.activeAtMs !== alert.activeAtMs) {
    // A new run of an alert that was handed over before is a first again.
    return send('first')
  }
  // A clock that was set back must not silence anybody.
  const sinceMs = Math.abs(nowMs - last.atMs)
  return sinceMs >= resendDelayMs ? send('repeat_due') : hold('nothing_new')
}
