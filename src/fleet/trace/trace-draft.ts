import type { AttributeValue, Attributes } from '../../model/attribute.ts'
import type { SpanEvent } from '../../model/span.ts'

/** A span of an upgrade before it has ids, and an end where it has none. */
export interface SpanDraft {
  /** What its id is made of. */
  readonly path: string
  /** Absent: of the root. */
  readonly parentPath?: string
  readonly name: string
  readonly startMs: number
  /** Absent: not known to have ended. */
  readonly endMs?: number
  /** It goes on after the upgrade has ended. */
  readonly outlives?: boolean
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  /** Why it is an error; may be empty. */
  readonly error?: string
}

/** What is not known is left out. */
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
