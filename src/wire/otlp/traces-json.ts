import type { SpanEvent, SpanLink } from '../../model/span.ts'
import {
  JsonAttributes,
  idField,
  listField,
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
export function decodeTracesJson(bytes: Uint8Array, limits: TracesRequestLimits): TracesRequest {
  return new Decoder(limits).request(parseJsonObject(bytes))
}

class Decoder {
  readonly #limits: TracesRequestLimits
  readonly #attributes: JsonAttributes
  #spans = 0

  constructor(limits: TracesRequestLimits) {
    this.#limits = limits
    this.#attributes = new JsonAttributes(limits.attributesMax)
  }

  request(body: JsonObject): TracesRequest {
    const resources = messagesField(body, 'resourceSpans').map((item) => this.#resourceSpans(item))
    return { resources, spanCount: this.#spans }
  }

  #resourceSpans(message: JsonObject): ResourceSpans {
    return {
      resource: resourceFromJson(message, this.#attributes),
      scopes: messagesField(message, 'scopeSpans').map((item) => this.#scopeSpans(item)),
    }
  }

  #scopeSpans(message: JsonObject): ScopeSpans {
    const items = listField(message, 'spans')
    this.#spans += items.length
    if (this.#spans > this.#limits.spansMax) throw tooMany('spans', this.#limits.spansMax)
    return {
      scope: scopeFromJson(message, this.#attributes),
      spans: items.map((item) => this.#span(objectOf(item, 'spans'))),
    }
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
