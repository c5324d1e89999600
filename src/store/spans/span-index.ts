import { valueText } from '../../model/attribute-text.ts'
import type { Span } from '../../model/span.ts'
import { UPGRADE_SCOPE, conventionOf } from '../../model/upgrade-convention.ts'

/** What a span is found by: its texts as a search compares them, and their hashes. */

/** Longer values are not indexed: a search for one reads the spans themselves. */
const TAG_CHARS_MAX = 256
/** Limit per trace. Beyond it a search reads the trace itself. */
const TAGS_MAX = 2000

/**
 * All keys and texts of a span. The fields that Jaeger shows besides attributes can be searched under the same names;
 * attributes of these names match too.
 */
export function* searchTexts(span: Span): Generator<readonly [key: string, text: string]> {
  for (const { key, value } of span.attributes) yield [key, valueText(value)]
  for (const { key, value } of span.resource.attributes) yield [key, valueText(value)]
  for (const { key, value } of span.scope.attributes) yield [key, valueText(value)]
  yield* shownTexts(span)
}

function* shownTexts({ kind, status, scope }: Span): Generator<readonly [key: string, text: string]> {
  if (kind !== 'unspecified') yield ['span.kind', kind]
  if (status.code === 'error') yield ['error', 'true']
  if (status.code !== 'unset') yield ['otel.status_code', status.code.toUpperCase()]
  if (status.message !== '') yield ['otel.status_description', status.message]
  if (scope.name !== '') yield ['otel.scope.name', scope.name]
  if (scope.version !== '') yield ['otel.scope.version', scope.version]
}

/** Whether a span has all of these texts. */
export function hasTexts(span: Span, wanted: ReadonlyMap<string, string>): boolean {
  if (wanted.size === 0) return true
  const found = new Set<string>()
  for (const [key, text] of searchTexts(span)) if (wanted.get(key) === text) found.add(key)
  return found.size === wanted.size
}

/** The hashes of a trace's tags; `isCut`: there are more than are indexed. */
export function tagsOf(spans: readonly Span[]): { readonly tags: ReadonlySet<number>; readonly isCut: boolean } {
  const tags = new Set<number>()
  for (const span of spans) {
    for (const [key, text] of searchTexts(span)) {
      const tag = tagOf(key, text)
      if (tag === undefined || tags.has(tag)) continue
      if (tags.size >= TAGS_MAX) return { tags, isCut: true }
      tags.add(tag)
    }
  }
  return { tags, isCut: false }
}

/**
 * A 52-bit hash of a key and a value; `undefined` if not indexed. A collision only costs reading an unwanted trace, so
 * a fast hash suffices (two interleaved FNV-1a variants).
 */
export function tagOf(key: string, text: string): number | undefined {
  if (key.length > TAG_CHARS_MAX || text.length > TAG_CHARS_MAX) return undefined
  let a = 0x811c9dc5
  let b = 0x9747b28c
  const whole = `${key}\0${text}`
  for (let i = 0; i < whole.length; i++) {
    const code = whole.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x5bd1e995)
    b ^= b >>> 15
  }
  a ^= a >>> 16
  return (a >>> 0) * 2 ** 20 + (b >>> 12)
}

export function durationNs({ startNs, endNs }: Span): bigint {
  return endNs > startNs ? endNs - startNs : 0n
}

/** Whether an operator reports an upgrade with this span. Derived spans are excluded. */
export function isUpgradeSpan({ name, scope, resource }: Span): boolean {
  return resource.cluster !== '' && scope.name !== UPGRADE_SCOPE && conventionOf(name) !== undefined
}
