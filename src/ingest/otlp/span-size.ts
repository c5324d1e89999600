/** Sizes of spans: whether the texts of a span are within the limits, before the span is stored. */
import type { Attributes, AttributeValue } from '../../model/attribute.ts'
import type { Span, SpanResource, SpanScope } from '../../model/span.ts'
import type { IngestOptions } from '../options.ts'

type SpanLimits = Pick<IngestOptions, 'spanNameBytesMax' | 'spanValueBytesMax' | 'spanBytesMax'>

/** Adds up the texts of a part, and finds the first that is too long. */
class PartSize {
  readonly #limits: SpanLimits
  bytes = 0
  fault: string | undefined

  constructor(limits: SpanLimits) {
    this.#limits = limits
  }

  name(what: string, text: string): void {
    this.#add(what, Buffer.byteLength(text), this.#limits.spanNameBytesMax, 'ingest.span-name-bytes-max')
  }

  value(what: string, text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.length
    this.#add(what, bytes, this.#limits.spanValueBytesMax, 'ingest.span-value-bytes-max')
  }

  attributes(attributes: Attributes): void {
    for (const { key, value } of attributes) {
      this.name('the key of an attribute', key)
      this.#attribute(value)
    }
  }

  #attribute(value: AttributeValue): void {
    if (typeof value === 'string' || value instanceof Uint8Array) this.value('an attribute', value)
    else if (typeof value !== 'object') this.bytes += NUMBER_BYTES
    else if ('entries' in value && !Array.isArray(value)) this.attributes((value as { entries: Attributes }).entries)
    else for (const one of value as readonly AttributeValue[]) this.#attribute(one)
  }

  #add(what: string, bytes: number, most: number, option: string): void {
    this.bytes += bytes
    if (bytes > most) this.fault ??= `got ${what} of ${bytes} bytes, want at most ${most}, the value of ${option}`
  }
}

const NUMBER_BYTES = 8

export interface SharedSize {
  readonly bytes: number
  readonly fault: string | undefined
}

/** The size of a resource, which its spans share. */
export function resourceSize(
  { service, cluster, attributes, schemaUrl }: SpanResource,
  limits: SpanLimits,
): SharedSize {
  const size = new PartSize(limits)
  size.name('a service name', service)
  size.name('a cluster name', cluster)
  size.attributes(attributes)
  size.name('the schema URL of a resource', schemaUrl ?? '')
  return size
}

export function scopeSize({ name, version, attributes, schemaUrl }: SpanScope, limits: SpanLimits): SharedSize {
  const size = new PartSize(limits)
  size.name('a scope name', name)
  size.name('a scope version', version)
  size.attributes(attributes)
  size.name('the schema URL of a scope', schemaUrl ?? '')
  return size
}

/** Why a span is too large, or `undefined` when it is not. */
export function sizeFault(span: Span, shared: readonly SharedSize[], limits: SpanLimits): string | undefined {
  const size = new PartSize(limits)
  size.name('a span name', span.name)
  size.value('a trace state', span.traceState)
  size.value('a status message', span.status.message)
  size.attributes(span.attributes)
  for (const { name, attributes } of span.events) {
    size.name('an event name', name)
    size.attributes(attributes)
  }
  for (const { traceState, attributes } of span.links) {
    size.value('a trace state', traceState)
    size.attributes(attributes)
  }
  const fault = shared.find((part) => part.fault !== undefined)?.fault ?? size.fault
  if (fault !== undefined) return fault
  const bytes = shared.reduce((sum, part) => sum + part.bytes, size.bytes)
  if (bytes <= limits.spanBytesMax) return undefined
  return `got a span of ${bytes} bytes, want at most ${limits.spanBytesMax}, the value of ingest.span-bytes-max`
}
