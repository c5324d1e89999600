/**
 * Alerts after a restart. `for` goes on counting, but not over a time in which nobody looked; an alert that was firing
 * stays firing, and after a long outage it is not called resolved only because the senders are not back yet.
 */
import type { AlertRecord } from '../model/alert.ts'
import type { TrackedAlert } from './alerting-rule.ts'
import { RESOLVED_RETENTION_MS } from './alert-state.ts'
import { alertSamples, seriesSetOf } from './derived-series.ts'
import { trackedOf } from './rule-state.ts'
import type { GroupState } from './rule-state.ts'

/** A pending alert older than this starts over: too much may have happened. Prometheus' outage tolerance. */
export const OUTAGE_TOLERANCE_MS = 3_600_000
/** An expression still sees samples this old: after a shorter outage its silence means something. */
const LOOKBACK_MS = 5 * 60_000
/** After a longer outage: how long the senders have to come back. */
export const CONFIRM_WITHIN_MS = 5 * 60_000

/** Puts the records of a group into its rules; answers those whose rule is gone. */
export function restoreGroup(state: GroupState, records: readonly AlertRecord[], nowMs: number): AlertRecord[] {
  const homeless: AlertRecord[] = []
  const byRule = new Map<string, AlertRecord[]>()
  for (const record of records) byRule.set(record.ruleKey, [...(byRule.get(record.ruleKey) ?? []), record])
  for (const rule of state.rules) {
    const own = byRule.get(rule.rule.ruleKey)
    if (own === undefined || rule.rule.kind !== 'alerting') continue
    byRule.delete(rule.rule.ruleKey)
    const alerts = own.flatMap((record) => restoreAlert(record, nowMs, state.group.intervalMs) ?? [])
    rule.alerts = new Map(alerts.map((alert) => [alert.labels.key, alert]))
    // As written before the restart, so that an alert that has ended meanwhile ends its series too.
    rule.series = seriesSetOf(own.flatMap((record) => alertSamples(record.labels, trackedOf(record).phase, nowMs)))
  }
  for (const left of byRule.values()) homeless.push(...left)
  state.persistedAtMs = nowMs
  state.isPersistedEmpty = records.length === 0
  return homeless
}

/** The alert as it goes on at `nowMs`; `undefined` when it does not. */
export function restoreAlert(record: AlertRecord, nowMs: number, intervalMs: number): TrackedAlert | undefined {
  const tracked = trackedOf(record)
  const goneMs = Math.max(0, nowMs - record.lastHeldAtMs)
  switch (tracked.phase.state) {
    case 'resolved':
      return nowMs - tracked.phase.resolvedAtMs > RESOLVED_RETENTION_MS ? undefined : tracked
    case 'firing':
      return goneMs > LOOKBACK_MS ? { ...tracked, unconfirmedUntilMs: nowMs + CONFIRM_WITHIN_MS } : tracked
    case 'pending': {
      if (goneMs > OUTAGE_TOLERANCE_MS) return undefined
      // A beat or two without an evaluation is no outage; beyond that, unseen time does not count for `for`.
      const unseenMs = goneMs <= 2 * intervalMs ? 0 : goneMs - intervalMs
      return { ...tracked, phase: { state: 'pending', activeAtMs: tracked.phase.activeAtMs + unseenMs } }
    }
  }
}
