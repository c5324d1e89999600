/**
 * Restores alerts after a restart. The time without evaluations does not count for `for`. A firing alert stays firing;
 * after a long outage it is not resolved before the senders had time to reconnect.
 */
import type { AlertRecord } from '../model/alert.ts'
import type { TrackedAlert } from './alerting-rule.ts'
import { RESOLVED_RETENTION_MS } from './alert-state.ts'
import { alertSamples, seriesSetOf } from './derived-series.ts'
import { trackedOf, type GroupState } from './rule-state.ts'

/** After a longer outage a pending alert starts over. Prometheus' default outage tolerance. */
export const OUTAGE_TOLERANCE_MS = 3_600_000
/** Lookback of instant queries: after a shorter outage, missing samples are meaningful. */
const LOOKBACK_MS = 5 * 60_000
/** After a longer outage: the time for senders to reconnect. */
export const CONFIRM_WITHIN_MS = 5 * 60_000

/** Assigns the records of a group to its rules. Returns the records of removed rules. */
export function restoreGroup(state: GroupState, records: readonly AlertRecord[], nowMs: number): AlertRecord[] {
  const byRule = new Map<string, AlertRecord[]>()
  for (const record of records) byRule.set(record.ruleKey, [...(byRule.get(record.ruleKey) ?? []), record])
  for (const rule of state.rules) {
    const own = byRule.get(rule.rule.ruleKey)
    if (own === undefined || rule.rule.kind !== 'alerting') continue
    byRule.delete(rule.rule.ruleKey)
    const alerts = own.flatMap((record) => restoreAlert(record, nowMs, state.group.intervalMs) ?? [])
    rule.alerts = new Map(alerts.map((alert) => [alert.labels.key, alert]))
    // The series written before the restart, so that an alert that does not continue gets stale markers.
    rule.series = seriesSetOf(own.flatMap((record) => alertSamples(record.labels, trackedOf(record).phase, nowMs)))
  }
  state.persistedAtMs = nowMs
  state.isPersistedEmpty = records.length === 0
  return [...byRule.values()].flat()
}

/** The restored alert at `nowMs`; `undefined` when it is expired. */
export function restoreAlert(record: AlertRecord, nowMs: number, intervalMs: number): TrackedAlert | undefined {
  const tracked = trackedOf(record)
  const outageMs = Math.max(0, nowMs - record.lastHeldAtMs)
  switch (tracked.phase.state) {
    case 'resolved':
      return nowMs - tracked.phase.resolvedAtMs > RESOLVED_RETENTION_MS ? undefined : tracked
    case 'firing':
      return outageMs > LOOKBACK_MS ? { ...tracked, unconfirmedUntilMs: nowMs + CONFIRM_WITHIN_MS } : tracked
    case 'pending': {
      if (outageMs > OUTAGE_TOLERANCE_MS) return undefined
      // One or two missed evaluations are no outage; a longer time without evaluations does not count for `for`.
      const unseenMs = outageMs <= 2 * intervalMs ? 0 : outageMs - intervalMs
      return { ...tracked, phase: { state: 'pending', activeAtMs: tracked.phase.activeAtMs + unseenMs } }
    }
  }
}
