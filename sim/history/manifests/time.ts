import type { Condition } from '../../../src/model/object-facts.ts'
import type { JsonValue } from '../../../src/wire/otlp/logs-encode.ts'

/** As `metav1.Time` writes it: whole seconds, UTC. */
export function time(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`
}

/** `undefined` stays so: the field is left out. */
export function timeOf(timeMs: number | undefined): string | undefined {
  return timeMs === undefined ? undefined : time(timeMs)
}

export function conditionsOf(conditions: readonly Condition[]): readonly JsonValue[] {
  return conditions.map(({ type, status, reason, message, lastTransitionMs }) => ({
    type,
    status,
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
    ...(lastTransitionMs === undefined ? {} : { lastTransitionTime: time(lastTransitionMs) }),
  }))
}
