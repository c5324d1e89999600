import type { FiredAlert } from '../../model/alert-run.ts'
import type { AttributeValue, Attributes } from '../../model/attribute.ts'
import type { SpanEvent } from '../../model/span.ts'
import type { UpgradeDetail } from '../../model/upgrade.ts'

/** A span of an upgrade without ids, and without an end if it is open. */
export interface SpanDraft {
  /** Its id is a hash of this. */
  readonly path: string
  /** Absent: the root is the parent. */
  readonly parentPath?: string
  readonly name: string
  readonly startMs: number
  /** Absent: not known to have ended. */
  readonly endMs?: number
  /** It continues after the end of the upgrade. */
  readonly outlives?: boolean
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  /** Why it is an error; may be empty. */
  readonly error?: string
}

/** Without unknown and empty values. */
export function attributesOf(entries: Readonly<Record<string, AttributeValue>>): Attributes {
  return Object.entries(entries).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [{ key, value }],
  )
}

const NS_PER_MS = 1_000_000n

export function msOf(timeNs: bigint): number {
  return Number(timeNs / NS_PER_MS)
}

/** Facts are in whole milliseconds at best. */
export function nsOf(timeMs: number): bigint {
  return BigInt(Math.round(timeMs)) * NS_PER_MS
}

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
