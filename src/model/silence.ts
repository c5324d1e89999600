import type { Matcher } from './matcher.ts'

/** A silence: no notifications for alerts that match all its matchers while it is active. The alerts stay visible. */
export interface Silence {
  /** A UUID, Alertmanager's form. */
  readonly id: string
  /** At least one must not match an absent label. */
  readonly matchers: readonly Matcher[]
  readonly startsAtMs: number
  /** Exclusive. */
  readonly endsAtMs: number
  readonly updatedAtMs: number
  readonly createdBy: string
  readonly comment: string
  /** Ends early, when none of its alerts is active any more. */
  readonly untilResolved: boolean
}

export const SILENCE_STATES = ['pending', 'active', 'expired'] as const
type SilenceState = (typeof SILENCE_STATES)[number]

export function silenceStateAt({ startsAtMs, endsAtMs }: Silence, nowMs: number): SilenceState {
  if (nowMs >= endsAtMs) return 'expired'
  return nowMs < startsAtMs ? 'pending' : 'active'
}

/** An acknowledgement of one occurrence of an alert. It hides nothing and ends with the occurrence. */
export interface Acknowledgement {
  readonly fingerprint: string
  /** The occurrence: the alert's `activeAtMs`. */
  readonly activeAtMs: number
  readonly by: string
  readonly atMs: number
  readonly note: string
}
