import type { AttributeValue, Attributes } from '../../model/attribute.ts'
import type { SpanEvent } from '../../model/span.ts'

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

/** Facts are in whole milliseconds at best. */
export function nsOf(timeMs: number): bigint {
  return BigInt(Math.round(timeMs)) * NS_PER_MS
}
