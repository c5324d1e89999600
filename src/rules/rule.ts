/**
 * A rule group as a rule file declares it, checked: expressions and templates parse, durations are numbers. Plain data
 * with texts, so that it crosses threads; the engine compiles the templates for itself.
 */

/** Where Prometheus' global `evaluation_interval` stands when nobody sets it. */
export const DEFAULT_INTERVAL_MS = 60_000

export interface RuleGroup {
  /** Path of the file as the user named it. */
  readonly file: string
  /** Unique inside its file. */
  readonly name: string
  readonly intervalMs: number
  /** The most alerts or series one rule may yield; 0 is no limit. */
  readonly limit: number
  /** How far in the past the rules look, for data that arrives late. */
  readonly queryOffsetMs: number
  /** That its rules have by default; they are in their labels already. Absent when there are none. */
  readonly labels?: Readonly<Record<string, string>>
  /** In the order of the file, which is the order of evaluation. */
  readonly rules: readonly Rule[]
}

export type Rule = AlertingRule | RecordingRule

interface RuleCommon {
  /** The alert's name, or the recorded metric's. */
  readonly name: string
  /**
   * Identity inside the group: name, severity, component, and its place among equals. A name alone is not enough:
   * three alert names of the operators exist twice (facts 2.1).
   */
  readonly ruleKey: string
  /** PromQL as the file has it. */
  readonly expr: string
  /** With the group's labels; a rule's own label wins. An empty value removes the label. */
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

/** Names a group among all files, as Prometheus does. */
export function groupKeyOf(group: Pick<RuleGroup, 'file' | 'name'>): string {
  return `${group.file};${group.name}`
}
