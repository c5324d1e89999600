/** Alerts for tests of notify, as the rule engine hands them over. */
import { fingerprintOf } from '../../src/model/alert.ts'
import { Labels } from '../../src/model/labels.ts'
import type { NotifiableAlert } from '../../src/notify/ports.ts'

/** 2026-08-20T10:00:00Z. */
export const T0 = 1_787_220_000_000

export function firing(name: string, over: Partial<NotifiableAlert> = {}): NotifiableAlert {
  const labels = Labels.of({ alertname: name, cluster: 'c1', severity: 'critical' })
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: { summary: `${name} is wrong` },
    state: 'firing',
    activeAtMs: T0 - 60_000,
    firedAtMs: T0,
    lastHeldAtMs: T0,
    value: 1,
    rule: { expr: 'up == 0', intervalMs: 30_000 },
    ...over,
  }
}

export function resolved(name: string, resolvedAtMs: number): NotifiableAlert {
  return firing(name, { state: 'resolved', resolvedAtMs })
}

export function pending(name: string): NotifiableAlert {
  const alert = { ...firing(name) }
  delete (alert as { firedAtMs?: number }).firedAtMs
  return { ...alert, state: 'pending' }
}
