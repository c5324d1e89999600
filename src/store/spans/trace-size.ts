import type { Attributes, AttributeValue } from '../../model/attribute.ts'
import type { Span, SpanResource, SpanScope } from '../../model/span.ts'

/**
 * About the bytes of spans as text, which is what a reader gets: repeated texts count each time, other than their stored
 * form, which has each once. A resource or scope counts once for each object.
 */
export class TraceSize {
  bytes = 0
  readonly #shared = new Set<SpanResource | SpanScope>()

  /** What the span would add. */
  of({ resource, scope, ...span }: Span): number {
    let bytes = FIELDS_BYTES + span.name.length + span.traceState.length + span.status.message.length
    bytes += attributesBytes(span.attributes)
    for (const { name, attributes } of span.events) bytes += ITEM_BYTES + name.length + attributesBytes(attributes)
    for (const { traceState, attributes } of span.links) {
      bytes += ITEM_BYTES + traceState.length + attributesBytes(attributes)
    }
    if (!this.#shared.has(resource)) {
      bytes += resource.service.length + resource.cluster.length + attributesBytes(resource.attributes)
    }
    if (!this.#shared.has(scope)) bytes += scope.name.length + scope.version.length + attributesBytes(scope.attributes)
    return bytes
  }

  add(span: Span): void {
    this.bytes += this.of(span)
    this.#shared.add(span.resource).add(span.scope)
  }
}

export function bytesOf(spans: readonly Span[]): number {
  const size = new TraceSize()
  for (const span of spans) size.add(span)
  return size.bytes
}

/** Ids, times, and the names of the fields of a span, and of an event or a link. */
const FIELDS_BYTES = 300
const ITEM_BYTES = 100
/** The names of the fields of an attribute, or a number. */
const VALUE_BYTES = 30

function attributesBytes(attributes: Attributes): number {
  let bytes = 0
  for (const { key, value } of attributes) bytes += key.length + valueBytes(value)
  return bytes
}

function valueBytes(value: AttributeValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return VALUE_BYTES + value.length
  if (typeof value !== 'object') return VALUE_BYTES
  if ('entries' in value && !Array.isArray(value)) {
    return VALUE_BYTES + attributesBytes((value as { readonly entries: Attributes }).entries)
  }
  return (value as readonly AttributeValue[]).reduce<number>((sum, one) => sum + valueBytes(one), VALUE_BYTES)
}
