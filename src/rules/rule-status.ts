import type { AlertState, RuleAlert } from '../model/alert.ts'

/**
 * What the rule engine says of itself. Plain data and `Labels`, because it crosses threads; times are milliseconds
 * since the epoch, durations milliseconds.
 */

/** `unknown` until the first evaluation. */
export type RuleHealth = 'ok' | 'err' | 'unknown'

export interface RuleGroupStatus {
  readonly name: string
  readonly file: string
  readonly intervalMs: number
  readonly limit: number
  readonly queryOffsetMs: number
  readonly evaluationMs: number
  readonly lastEvaluationMs?: number
  /** When the next one is due; absent: at once. */
  readonly nextEvaluationMs?: number
  /** Evaluations that were due and did not happen, since the start. */
  readonly missed: number
  readonly rules: readonly RuleStatus[]
}

export type RuleStatus = AlertingRuleStatus | RecordingRuleStatus

interface RuleStatusCommon {
  readonly name: string
  readonly ruleKey: string
  /** The formatted expression. */
  readonly query: string
  readonly labels: Readonly<Record<string, string>>
  readonly health: RuleHealth
  readonly lastError?: string
  /** Warnings of the last good evaluation. */
  readonly warnings: readonly string[]
  readonly evaluationMs: number
  readonly lastEvaluationMs?: number
  /** Samples the last evaluation wrote, stale markers apart. */
  readonly lastSamples: number
}

export interface AlertingRuleStatus extends RuleStatusCommon {
  readonly kind: 'alerting'
  /** The worst of its alerts. */
  readonly state: 'inactive' | 'pending' | 'firing'
  readonly forMs: number
  readonly keepFiringForMs: number
  /** Templates as written. */
  readonly annotations: Readonly<Record<string, string>>
  /** The alerts themselves are in `RuleEngine.alerts`. */
  readonly alertCounts: Readonly<Record<AlertState, number>>
}

export interface RecordingRuleStatus extends RuleStatusCommon {
  readonly kind: 'recording'
}

/** What one call of `evaluate` did. */
export interface EvaluationReport {
  readonly nowMs: number
  /** Only the groups that were due. */
  readonly groups: readonly GroupReport[]
  readonly transitions: readonly AlertTransition[]
}

export interface GroupReport {
  readonly name: string
  readonly file: string
  readonly intervalMs: number
  /** What it was evaluated for. */
  readonly timeMs: number
  readonly evaluationMs: number
  /** Evaluations skipped since the one before this. */
  readonly missed: number
  readonly ruleCount: number
  /** Samples handed to the store, stale markers included. */
  readonly samples: number
  readonly errors: readonly RuleError[]
}

export interface RuleError {
  readonly rule: string
  readonly ruleKey: string
  /** The query failed, its result could not be used, or the result could not be stored. */
  readonly during: 'query' | 'result' | 'append' | 'persist'
  readonly message: string
}

/** `inactive` is before the first evaluation that held, and after a pending alert that no longer does. */
export interface AlertTransition {
  readonly alert: RuleAlert
  readonly from: AlertState | 'inactive'
  readonly to: AlertState | 'inactive'
}
