import type { Labels } from './labels.ts'

/** The states of an alert, as in Prometheus; `resolved` alerts are retained for a while. */
export const ALERT_STATES = ['pending', 'firing', 'resolved'] as const
export type AlertState = (typeof ALERT_STATES)[number]

/** Severity is the urgency of the notification; health impact is the effect on the operator. They are independent (facts 2.1). */
export const SEVERITIES = ['critical', 'warning', 'info', 'none'] as const
export type Severity = (typeof SEVERITIES)[number]

export function severityOf(labels: Labels): Severity {
  const value = labels.get('severity')
  return SEVERITIES.find((severity) => severity === value) ?? 'none'
}

export const HEALTH_IMPACTS = ['critical', 'warning', 'none'] as const
export type HealthImpact = (typeof HEALTH_IMPACTS)[number]

export function healthImpactOf(labels: Labels): HealthImpact {
  const value = labels.get('operator_health_impact')
  return HEALTH_IMPACTS.find((impact) => impact === value) ?? 'none'
}

/** The present state of one alert. Times in milliseconds since the epoch. */
export interface Alert {
  /** `fingerprintOf` the alert's labels: Alertmanager's fingerprint, independent of annotations. */
  readonly fingerprint: string
  readonly labels: Labels
  readonly annotations: Readonly<Record<string, string>>
  readonly state: AlertState
  /** When the expression became true, in this occurrence. */
  readonly activeAtMs: number
  readonly firedAtMs?: number
  readonly resolvedAtMs?: number
  /** When the expression was last true. */
  readonly lastHeldAtMs: number
  /** When it first stopped holding while `keep_firing_for` keeps the alert firing; absent while it holds. */
  readonly keepFiringSinceMs?: number
  readonly value: number
}

/** An alert with its rule. */
export interface RuleAlert extends Alert {
  readonly ruleKey: string
  readonly rule: AlertSource
}

export interface AlertSource {
  readonly group: string
  readonly file: string
  readonly name: string
  /** As PromQL's formatter prints it. */
  readonly expr: string
  readonly forMs: number
  readonly keepFiringForMs: number
  /** The group's evaluation interval: how long an alert that is not repeated stays valid. */
  readonly intervalMs: number
}

/** Alertmanager's fingerprint of a label set: FNV-1a 64 over sorted `name 0xff value 0xff`, 16 hex digits. */
export function fingerprintOf(labels: Labels): string {
  const encoder = new TextEncoder()
  let hash = 0xcbf29ce484222325n
  const eat = (byte: number): void => {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  }
  for (const text of labels.flat) {
    for (const byte of encoder.encode(text)) eat(byte)
    eat(0xff)
  }
  return hash.toString(16).padStart(16, '0')
}

/** An alert as stored, under its rule. */
export interface AlertRecord extends Alert {
  /** Identity of the rule in its group: name, severity and component (names repeat, facts 2.1), and its index among equals. */
  readonly ruleKey: string
}

/** Stores alert states for a restart, so that `for` continues. Implemented by `store`, used by `rules`. */
export interface AlertStateStore {
  /** All records with the group they belong to. */
  load(): Promise<ReadonlyMap<string, readonly AlertRecord[]>>
  /** Replaces the stored states of a group, in one transaction; durable when it resolves. */
  replaceGroup(groupKey: string, records: readonly AlertRecord[]): Promise<void>
}
