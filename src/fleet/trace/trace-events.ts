import type { FiredAlert } from '../../model/alert-run.ts'
import type { SpanEvent } from '../../model/span.ts'
import type { UpgradeDetail } from '../../model/upgrade.ts'
import { attributesOf, nsOf } from './trace-draft.ts'

type ConditionChange = UpgradeDetail['conditionChanges'][number]
type GateChange = UpgradeDetail['featureGateChanges'][number]

export function conditionEvent({ atMs, type, status, reason }: ConditionChange): SpanEvent {
  return {
    timeNs: nsOf(atMs),
    name: 'condition.changed',
    attributes: attributesOf({
      'k8s.condition.type': type,
      'k8s.condition.status': status,
      'k8s.condition.reason': reason,
    }),
  }
}

export function gateEvent({ atMs, gate, isOn }: GateChange): SpanEvent {
  return {
    timeNs: nsOf(atMs),
    name: 'feature_flag.evaluation',
    attributes: attributesOf({ 'feature_flag.key': gate, 'feature_flag.result.variant': isOn ? 'on' : 'off' }),
  }
}

export function alertEvent({ firedAtMs, alertname, severity }: FiredAlert): SpanEvent {
  return { timeNs: nsOf(firedAtMs), name: 'alert.firing', attributes: attributesOf({ alertname, severity }) }
}

/** Oldest first; at a tie by name and then by attributes, so that the order is always the same. */
export function inOrder(events: readonly SpanEvent[]): readonly SpanEvent[] {
  const keyOf = (event: SpanEvent): string =>
    `${event.name} ${event.attributes.map(({ value }) => (typeof value === 'string' ? value : '')).join(' ')}`
  return [...events].sort((a, b) => {
    if (a.timeNs !== b.timeNs) return a.timeNs < b.timeNs ? -1 : 1
    const [left, right] = [keyOf(a), keyOf(b)]
    return left < right ? -1 : Number(left > right)
  })
}
