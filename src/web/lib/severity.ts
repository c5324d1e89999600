import type { AlertItem } from '../../contract/alerts.ts'

/** Severities, states and health impacts in their order, and the sort of alerts. Pure. */

export type Severity = AlertItem['severity']
export type HealthImpact = AlertItem['healthImpact']
export type AlertState = AlertItem['state']

export const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info', 'none']
export const ALERT_STATES: readonly AlertState[] = ['firing', 'pending', 'resolved']
export const HEALTH_IMPACTS: readonly HealthImpact[] = ['critical', 'warning', 'none']

/** Unknown texts of a label count as `none`. */
export function toSeverity(text: string): Severity {
  return SEVERITIES.find((severity) => severity === text) ?? 'none'
}

export function toHealthImpact(text: string): HealthImpact {
  return HEALTH_IMPACTS.find((impact) => impact === text) ?? 'none'
}

interface Ranked {
  readonly severity: string
  readonly healthImpact: string
  readonly state: AlertState
  readonly activeAtMs: number
}

/** By state (firing, pending, resolved), severity, health impact, then newest first. */
export function compareWorst(a: Ranked, b: Ranked): number {
  return (
    ALERT_STATES.indexOf(a.state) - ALERT_STATES.indexOf(b.state) ||
    SEVERITIES.indexOf(toSeverity(a.severity)) - SEVERITIES.indexOf(toSeverity(b.severity)) ||
    HEALTH_IMPACTS.indexOf(toHealthImpact(a.healthImpact)) - HEALTH_IMPACTS.indexOf(toHealthImpact(b.healthImpact)) ||
    b.activeAtMs - a.activeAtMs
  )
}

export function compareNewest(a: Ranked, b: Ranked): number {
  return b.activeAtMs - a.activeAtMs
}
