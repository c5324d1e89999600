/** Whether an alert is news to its receivers, and why. */
import type { Alert } from '../model/alert.ts'

/** Each decision has one of these; only the first three send. */
export const NOTIFY_REASONS = [
  'first',
  'resend_due',
  'resolved',
  'nothing_new',
  'pending',
  'resolved_long_ago',
  'same_labels',
] as const
export type NotifyReason = (typeof NOTIFY_REASONS)[number]

/** A resolved alert is repeated this long, for a receiver that was away. */
export const RESOLVED_REPEAT_MS = 15 * 60_000

/** What was last told about an alert. */
export interface Told {
  readonly toldAtMs: number
  readonly state: 'firing' | 'resolved'
  readonly activeAtMs: number
}

export interface NotifyDecision {
  readonly sends: boolean
  readonly reason: NotifyReason
}

export function decideNotify(
  alert: Alert,
  told: Told | undefined,
  nowMs: number,
  resendDelayMs: number,
): NotifyDecision {
  const send = (reason: NotifyReason): NotifyDecision => ({ sends: true, reason })
  const hold = (reason: NotifyReason): NotifyDecision => ({ sends: false, reason })
  if (alert.state === 'pending') return hold('pending')
  if (alert.state === 'resolved') {
    if (nowMs - (alert.resolvedAtMs ?? nowMs) > RESOLVED_REPEAT_MS) return hold('resolved_long_ago')
    // Also when nobody was told that it fires: its firing may have been told before a restart.
    if (told?.state !== 'resolved') return send('resolved')
  } else if (told?.state !== 'firing' || told.activeAtMs !== alert.activeAtMs) {
    // A new run of an alert that was told before is a first again.
    return send('first')
  }
  // A clock that was set back must not silence anybody.
  const sinceMs = Math.abs(nowMs - told.toldAtMs)
  return sinceMs >= resendDelayMs ? send('resend_due') : hold('nothing_new')
}

/**
 * One alert per fingerprint: two rules may yield the same labels, or a moved rule leaves a resolved alert behind. To a
 * receiver they are one, and it must not hear "firing" and "resolved" in turns: what fires wins.
 */
export function pickOnePerFingerprint<A extends Alert>(alerts: readonly A[]): ReadonlyMap<string, A> {
  const picked = new Map<string, A>()
  for (const alert of alerts) {
    const other = picked.get(alert.fingerprint)
    if (other === undefined || RANK[alert.state] > RANK[other.state]) picked.set(alert.fingerprint, alert)
  }
  return picked
}

const RANK = { pending: 0, resolved: 1, firing: 2 } as const
