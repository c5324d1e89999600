/**
 * A checked rule group of a rule file: expressions and templates parse, durations are numbers. Plain data with texts,
 * because it crosses threads; the engine compiles the templates.
 */

/** Prometheus' default of the global `evaluation_interval`. */
export const DEFAULT_INTERVAL_MS = 60_000

export interface RuleGroup {
  /** Path of the file as the user named it. */
  readonly file: string
  /** Unique inside its file. */
  readonly name: string
  readonly intervalMs: number
  /** Maximum number of alerts or series of one rule; 0 is no limit. */
  readonly limit: number
  /** How far in the past the rules are evaluated, for data that arrives late. */
  readonly queryOffsetMs: number
  /** Default labels of its rules, which `rules` already include. Absent when there are none. */
  readonly labels?: Readonly<Record<string, string>>
  /** In the order of the file, which is the order of evaluation. */
  readonly rules: readonly Rule[]
}

export type Rule = AlertingRule | RecordingRule

interface RuleCommon {
  /** The alert's name, or the recorded metric's. */
  readonly name: string
  /**
   * Identity inside the group: name, severity, component, and position among rules with the same three. The name is not
   * enough: three alert names of the operators exist twice (facts 2.1).
   */
  readonly ruleKey: string
  /** PromQL as written in the file. */
  readonly expr: string
  /** Includes the group's labels; the rule's own label takes precedence. An empty value removes the label. */
  readonly labels: Readonly<Record<string, string>>
}

export interface AlertingRule extends RuleCommon {
  readonly kind: 'alerting'
  readonly forMs: number
  readonly keepFiringForMs: number
  /** Templates, as are the values of `labels`. */
  readonly annotations: Readonly<Record<string, string>>
}

export interface RecordingRule extends RuleCommon {
  readonly kind: 'recording'
}

/** Identifies a group among all files, as in Prometheus. */
export function groupKeyOf(group: Pick<RuleGroup, 'file' | 'name'>): string {
  return `${group.file};${group.name}`
}
