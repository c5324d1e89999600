/** Verdicts on the rollout of a version: may the other clusters follow? */

export const ROLLOUT_DECISIONS = ['proceed', 'hold', 'insufficient', 'not_comparable'] as const
/**
 * `proceed`: the share of failures is below the accepted one, and nothing got worse. `hold`: something got worse.
 * `insufficient`: neither is proved yet. `not_comparable`: there is nothing to compare, and the reason says why.
 */
export type RolloutDecision = (typeof ROLLOUT_DECISIONS)[number]

export const ROLLOUT_SIGNALS = ['failures', 'failures_concurrent', 'duration', 'alerts', 'modifications'] as const
export type RolloutSignal = (typeof ROLLOUT_SIGNALS)[number]

/** One upgrade, or one cluster that has not upgraded, as verdicts compare them. */
export interface RolloutMember {
  readonly cluster: string
  readonly isCanary: boolean
  /** Values of the policy's strata, joined: only equal ones are compared. */
  readonly stratum: string
  /** The start of the upgrade; of a cluster that has not upgraded, of the day for which it stands. */
  readonly startedMs: number
}

export interface RolloutRun extends RolloutMember {
  /** Of the upgrade. */
  readonly id: string
  /** Absent: not ended when it was last observed. */
  readonly ended?: { readonly atMs: number; readonly isFailure: boolean }
  readonly observedUntilMs: number
}

/** What changed on a cluster in the time after a moment, less what did in the time before. */
export interface RolloutChange extends RolloutMember {
  readonly before: number
  readonly after: number
}

export interface RolloutPolicy {
  /** The probability of a wrong `hold`, over all signals and looks; and of a wrong `proceed`. */
  readonly alpha: number
  /** An upgrade that has not ended after this time counts as failed. */
  readonly horizonMs: number
  /** The canary's share of failures may be higher than the baseline's by this much. */
  readonly failureMargin: number
  /** Fewer ended canary upgrades never give `proceed`. */
  readonly canariesMin: number
  /** Members of one stratum are compared with each other only. */
  readonly strata: readonly RolloutStratum[]
  /** How long before and after an upgrade alerts and modifications are counted. */
  readonly windowMs: number
  readonly signals: readonly RolloutSignal[]
}

export const ROLLOUT_STRATA = ['platform', 'size', 'region', 'channel', 'environment'] as const
export type RolloutStratum = (typeof ROLLOUT_STRATA)[number]

/** Each number with its denominator. */
export interface SignalEvidence {
  readonly signal: RolloutSignal
  /** `worse`: proved. `open`: not proved. `none`: nothing to compare, with the reason. */
  readonly state: 'worse' | 'open' | 'none'
  readonly reason?: string
  /** The largest evidence for `worse` at any look, as a factor; `worse` from `needed` on. */
  readonly factor: number
  readonly needed: number
  /** When it was reached; absent: it was not. */
  readonly sinceMs?: number
  readonly canary: { readonly count: number; readonly of: number }
  readonly baseline: { readonly count: number; readonly of: number }
}
