/** Verdicts on the rollout of a version: may the other clusters follow? */

export const ROLLOUT_DECISIONS = ['proceed', 'hold', 'insufficient', 'not_comparable'] as const
/**
 * `proceed`: the share of failures is below the accepted one, and nothing is worse. `hold`: something is worse.
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
  /** No `hold` for upgrades that take fewer times as long, however well that is proved. */
  readonly slowdownMin: number
  /** No `hold` for a share of failures that is higher by less. */
  readonly failureDifferenceMin: number
}

export const ROLLOUT_STRATA = ['platform', 'size', 'region', 'channel', 'environment'] as const
export type RolloutStratum = (typeof ROLLOUT_STRATA)[number]

export const DEFAULT_ROLLOUT_POLICY: RolloutPolicy = {
  alpha: 0.05,
  horizonMs: 6 * 3600_000,
  failureMargin: 0.1,
  canariesMin: 20,
  strata: ['platform', 'size'],
  windowMs: 24 * 3600_000,
  signals: ROLLOUT_SIGNALS,
  slowdownMin: 1.1,
  failureDifferenceMin: 0,
}

export interface Count {
  readonly count: number
  readonly of: number
}

/** A 95 % interval for one look, beside the evidence; an absent bound is open. */
export interface RatioInterval {
  readonly value: number
  readonly low?: number
  readonly high?: number
}

/** Of the canary over the baseline: odds of the counted outcome, or durations. */
export interface SignalEffect extends RatioInterval {
  readonly measure: 'odds_ratio' | 'time_ratio'
}

/** Each number with its denominator. */
export interface SignalEvidence {
  readonly signal: RolloutSignal
  /** `worse`: proved. `open`: not proved. `none`: nothing to compare, with the reason. */
  readonly state: 'worse' | 'open' | 'none'
  readonly reason?: string
  /** The largest evidence for `worse` at any look, as a factor; `worse` from `needed` on. */
  readonly factor: number
  readonly needed: number
  /** When it was reached, also where the policy does not hold for it; absent: it was not. */
  readonly sinceMs?: number
  readonly canary: Count
  readonly baseline: Count
  /** Absent: cannot be estimated, because a group has all or none. */
  readonly effect?: SignalEffect
  readonly strata: readonly SignalStratum[]
  /** Upgrades of the canary that are counted, the newest first. */
  readonly counted: readonly CountedMember[]
}

export interface SignalStratum {
  readonly stratum: string
  readonly canary: Count
  readonly baseline: Count
}

export interface CountedMember {
  readonly cluster: string
  readonly startedMs: number
  /** Absent: the cluster is counted, not one upgrade. */
  readonly upgrade?: string
}
