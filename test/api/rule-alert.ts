import { fingerprintOf, type AlertState, type RuleAlert } from '../../src/model/alert.ts'
import { Labels } from '../../src/model/labels.ts'
import { NOW_MS } from './test-server.ts'

const MINUTE_MS = 60_000

/** An alert of a rule that became active ten minutes ago and fired a minute later. */
export function ruleAlert(
  name: string,
  cluster: string,
  state: AlertState = 'firing',
  more: Partial<RuleAlert> = {},
): RuleAlert {
  const labels = Labels.of({ alertname: name, cluster, severity: 'warning' })
  const activeAtMs = NOW_MS - 10 * MINUTE_MS
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: { summary: `${name} on ${cluster}` },
    state,
    activeAtMs,
    ...(state === 'pending' ? {} : { firedAtMs: activeAtMs + MINUTE_MS }),
    ...(state === 'resolved' ? { resolvedAtMs: NOW_MS - MINUTE_MS } : {}),
    lastHeldAtMs: NOW_MS,
    value: 1,
    ruleKey: name,
    rule: { group: 'g', file: 'f.yaml', name, expr: 'up > 0', forMs: 0, keepFiringForMs: 0, intervalMs: 30_000 },
    ...more,
  }
}
