/**
 * The status of the rule engine. Plain data and `Labels`, because it crosses threads. Times are milliseconds since the
 * epoch, durations milliseconds.
 */
import type { AlertState, RuleAlert } from '../model/alert.ts'
import type { AlertingRule, RecordingRule, RuleGroup } from './rule.ts'

/** `unknown` until the first evaluation. */
export type RuleHealth = 'ok' | 'err' | 'unknown'

export interface RuleGroupStatus extends Pick<RuleGroup, 'name' | 'file' | 'intervalMs' | 'limit' | 'queryOffsetMs'> {
  readonly evaluationMs: number
  readonly lastEvaluationMs?: number
  /** Absent before the first evaluation, which is due at once. */
  readonly nextEvaluationMs?: number
  /** Skipped evaluations since the start. */
  readonly missed: number
  readonly rules: readonly RuleStatus[]
}

export type RuleStatus = AlertingRuleStatus | RecordingRuleStatus

interface EvaluationStatus {
  /** The formatted expression. */
  readonly query: string
  readonly health: RuleHealth
  readonly lastError?: string
  /** Warnings of the last successful evaluation. */
  readonly warnings: readonly string[]
  readonly evaluationMs: number
  readonly lastEvaluationMs?: number
  /** Samples of the last evaluation, without stale markers. */
  readonly lastSamples: number
}

interface AlertingRuleStatus extends EvaluationStatus, Omit<AlertingRule, 'expr'> {
  /** The most severe state of its alerts. */
  readonly state: 'inactive' | 'pending' | 'firing'
  /** The alerts themselves are in `RuleEngine.alerts`. */
  readonly alertCounts: Readonly<Record<AlertState, number>>
}

type RecordingRuleStatus = EvaluationStatus & Omit<RecordingRule, 'expr'>

/** The result of one `evaluate` call. */
export interface EvaluationReport {
  readonly nowMs: number
  /** Only the groups that were due. */
  readonly groups: readonly GroupReport[]
  readonly transitions: readonly AlertTransition[]
}

/** The report for another thread: as a message, the transitions of 100,000 alerts would hold it up for seconds. */
export interface EvaluationSummary extends Omit<EvaluationReport, 'transitions'> {
  readonly hasTransitions: boolean
}

export interface GroupReport {
  readonly name: string
  readonly file: string
  readonly intervalMs: number
  /** The evaluation time. */
  readonly timeMs: number
  readonly evaluationMs: number
  /** Evaluations skipped since the previous evaluation. */
  readonly missed: number
  readonly ruleCount: number
  /** Samples passed to the store, stale markers included. */
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

/** `inactive` is the state before an alert is pending, and after a pending alert that did not fire. */
export interface AlertTransition {
  readonly alert: RuleAlert
  readonly from: AlertState | 'inactive'
  readonly to: AlertState | 'inactive'
}
