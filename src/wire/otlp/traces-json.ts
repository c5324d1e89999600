import type { Steps } from '../../base/thread-slices.ts'
import type { SpanEvent, SpanLink } from '../../model/span.ts'
import {
  JsonAttributes,
  idField,
  listField,
  mapInSteps,
  messageField,
  messagesField,
  objectOf,
  parseJsonObject,
  smallIntegerField,
  textField,
  timeNsField,
  unsigned32Field,
  type JsonObject,
} from './json.ts'
import { tooMany } from './protobuf.ts'
import { resourceFromJson, scopeFromJson } from './resource.ts'
import {
  spanKindOf,
  spanStatusOf,
  type OtlpSpan,
  type ResourceSpans,
  type ScopeSpans,
  type TracesRequest,
  type TracesRequestLimits,
} from './traces.ts'

/** ExportTraceServiceRequest from JSON: the twin of otlp-traces-protobuf.ts, and equal to it for equal requests. */

/** @throws DecodeError when it is not such a request or holds more than the limits allow */
export function* decodeTracesJson(bytes: Uint8Array, limits: TracesRequestLimits): Steps<TracesRequest> {
  return yield* new Decoder(limits).request(yield* parseJsonObject(bytes))
}

class Decoder {
  readonly #limits: TracesRequestLimits
  readonly #attributes: JsonAttributes
  #spans = 0

  constructor(limits: TracesRequestLimits) {
    this.#limits = limits
    this.#attributes = new JsonAttributes(limits.attributesMax)
  }

  *request(body: JsonObject): Steps<TracesRequest> {
    const resources = yield* mapInSteps(messagesField(body, 'resourceSpans'), (item) => this.#resourceSpans(item))
    return { resources, spanCount: this.#spans }
  }

  *#resourceSpans(message: JsonObject): Steps<ResourceSpans> {
    const resource = resourceFromJson(message, this.#attributes)
    const scopes = yield* mapInSteps(messagesField(message, 'scopeSpans'), (item) => this.#scopeSpans(item))
    return { resource, scopes }
  }

  *#scopeSpans(message: JsonObject): Steps<ScopeSpans> {
    const items = listField(message, 'spans')
    this.#spans += items.length
    if (this.#spans > this.#limits.spansMax) throw tooMany('spans', this.#limits.spansMax)
    const scope = scopeFromJson(message, this.#attributes)
    const spans: OtlpSpan[] = []
    for (const item of items) {
      spans.push(this.#span(objectOf(item, 'spans')))
      yield false
    }
    return { scope, spans }
  }

  #span(span: JsonObject): OtlpSpan {
    const status = messageField(span, 'status')
    return {
      traceId: idField(span, 'traceId'),
      spanId: idField(span, 'spanId'),
      parentSpanId: idField(span, 'parentSpanId'),
      traceState: textField(span, 'traceState'),
      name: textField(span, 'name'),
      kind: spanKindOf(enumField(span, 'kind', KIND_NAMES)),
      startNs: timeNsField(span, 'startTimeUnixNano'),
      endNs: timeNsField(span, 'endTimeUnixNano'),
      attributes: this.#attributes.read(span),
      droppedAttributes: unsigned32Field(span, 'droppedAttributesCount'),
      events: messagesField(span, 'events').map((item) => this.#event(item)),
      droppedEvents: unsigned32Field(span, 'droppedEventsCount'),
      links: messagesField(span, 'links').map((item) => this.#link(item)),
      droppedLinks: unsigned32Field(span, 'droppedLinksCount'),
      status: { code: spanStatusOf(enumField(status, 'code', STATUS_NAMES)), message: textField(status, 'message') },
      flags: unsigned32Field(span, 'flags'),
    }
  }

  #event(event: JsonObject): Required<SpanEvent> {
    this.#attributes.countValue()
    return {
      timeNs: timeNsField(event, 'timeUnixNano'),
      name: textField(event, 'name'),
      attributes: this.#attributes.read(event),
      droppedAttributes: unsigned32Field(event, 'droppedAttributesCount'),
    }
  }

  #link(link: JsonObject): Required<SpanLink> {
    this.#attributes.countValue()
    return {
      traceId: idField(link, 'traceId'),
      spanId: idField(link, 'spanId'),
      traceState: textField(link, 'traceState'),
      attributes: this.#attributes.read(link),
      droppedAttributes: unsigned32Field(link, 'droppedAttributesCount'),
      flags: unsigned32Field(link, 'flags'),
    }
  }
}

// The specification requires numbers; protobuf's own JSON uses names, which other receivers accept too.
const KIND_NAMES = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(
  (name) => `SPAN_KIND_${name}`,
)
const STATUS_NAMES = ['UNSET', 'OK', 'ERROR'].map((name) => `STATUS_CODE_${name}`)

function enumField(parent: JsonObject, name: string, names: readonly string[]): number {
  const value = parent[name]
  const code = typeof value === 'string' ? names.indexOf(value) : -1
  return code === -1 ? smallIntegerField(parent, name) : code
}
