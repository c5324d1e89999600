import type { Labels } from './labels.ts'
import type { Lease } from './lease.ts'

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

const UTF8 = new TextEncoder()
// eslint-disable-next-line no-control-regex -- all of ASCII
const IS_ASCII = /^[\x00-\x7f]*$/

/**
 * Alertmanager's fingerprint of a label set: FNV-1a 64 over sorted `name 0xff value 0xff`, 16 hex digits. Two halves of 32
 * bits and no BigInt: one request may bring thousands of alerts.
 */
export function fingerprintOf(labels: Labels): string {
  let high = 0xcbf29ce4
  let low = 0x84222325
  const eat = (byte: number): void => {
    const mixed = (low ^ byte) >>> 0
    // The prime is 2^40 + 0x1b3.
    const product = mixed * 0x1b3
    high = (Math.imul(high, 0x1b3) + (mixed << 8) + Math.floor(product / 2 ** 32)) >>> 0
    low = product >>> 0
  }
  for (const text of labels.flat) {
    if (IS_ASCII.test(text)) for (let i = 0; i < text.length; i++) eat(text.charCodeAt(i))
    else for (const byte of UTF8.encode(text)) eat(byte)
    eat(0xff)
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('')
}

/** An alert as stored, under its rule. */
export interface AlertRecord extends Alert {
  /** Identity of the rule in its group: name, severity and component (names repeat, facts 2.1), and its index among equals. */
  readonly ruleKey: string
}

/** Stores alert states for a restart, so that `for` continues. Implemented by `store`, used by `rules`. */
export interface AlertStateStore {
  /** All records with the group they belong to. @param groupKeys only of these groups */
  load(groupKeys?: readonly string[]): Promise<ReadonlyMap<string, readonly AlertRecord[]>>
  /**
   * Replaces the stored states of a group, in one transaction; durable when it resolves.
   * @param under refused when it is another process' by then
   */
  replaceGroup(groupKey: string, records: readonly AlertRecord[], under?: Lease): Promise<void>
}
