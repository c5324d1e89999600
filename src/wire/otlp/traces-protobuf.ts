import type { Steps } from '../../base/thread-slices.ts'
import type { KeyValue } from '../../model/attribute.ts'
import type { SpanEvent, SpanLink, SpanStatus } from '../../model/span.ts'
import { readEnvelope } from './envelope.ts'
import { OtlpReader, fieldBits, tooMany } from './protobuf.ts'
import { spanKindOf, spanStatusOf, type OtlpSpan, type TracesRequest, type TracesRequestLimits } from './traces.ts'
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT, tagOf } from '../protobuf.ts'

/** ExportTraceServiceRequest from protobuf, with the liberties of the wire format: see otlp-metrics-protobuf.ts. */

/** @throws DecodeError when it is not such a request or holds more than the limits allow */
export function decodeTracesProtobuf(bytes: Uint8Array, limits: TracesRequestLimits): Steps<TracesRequest> {
  return new Decoder(new OtlpReader(bytes, limits.attributesMax), limits).request(bytes.length)
}

const bytesField = (field: number): number => tagOf(field, LENGTH_DELIMITED)

// Names contain the field number when a message has several; the numbers are those of trace.proto.
const B1 = bytesField(1)
const B2 = bytesField(2)
const B3 = bytesField(3)
const B4 = bytesField(4)
const B5 = bytesField(5)
const B9 = bytesField(9)
const B11 = bytesField(11)
const B13 = bytesField(13)
const B15 = bytesField(15)
const F1 = tagOf(1, FIXED64)
const F7 = tagOf(7, FIXED64)
const F8 = tagOf(8, FIXED64)
const V3 = tagOf(3, VARINT)
const V4 = tagOf(4, VARINT)
const V5 = tagOf(5, VARINT)
const V6 = tagOf(6, VARINT)
const V10 = tagOf(10, VARINT)
const V12 = tagOf(12, VARINT)
const V14 = tagOf(14, VARINT)
const LINK_FLAGS = tagOf(6, FIXED32)
const SPAN_FLAGS = tagOf(16, FIXED32)

const SPAN_FIELDS = fieldBits(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
const EVENT_FIELDS = fieldBits(1, 2, 3, 4)
const LINK_FIELDS = fieldBits(1, 2, 3, 4, 5, 6)
const STATUS_FIELDS = fieldBits(2, 3)

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

class Decoder {
  readonly #reader: OtlpReader
  readonly #limits: TracesRequestLimits
  #spans = 0

  constructor(reader: OtlpReader, limits: TracesRequestLimits) {
    this.#reader = reader
    this.#limits = limits
  }

  *request(end: number): Steps<TracesRequest> {
    const resources = yield* readEnvelope(this.#reader, end, {
      item: (spanEnd) => this.#item(spanEnd),
      scopeOf: (scope, spans) => ({ scope, spans }),
    })
    return { resources, spanCount: this.#spans }
  }

  *#item(end: number): Steps<OtlpSpan> {
    if (++this.#spans > this.#limits.spansMax) throw tooMany('spans', this.#limits.spansMax)
    yield false
    return this.#span(end)
  }

  #span(end: number): OtlpSpan {
    const reader = this.#reader
    const attributes: KeyValue[] = []
    const events: Required<SpanEvent>[] = []
    const links: Required<SpanLink>[] = []
    const status = { code: 'unset' as SpanStatus, message: '' }
    const span: Mutable<OtlpSpan> = {
      ...{ traceId: '', spanId: '', parentSpanId: '', traceState: '', name: '', kind: 'unspecified' },
      ...{ startNs: 0n, endNs: 0n, attributes, events, links, status, flags: 0 },
      ...{ droppedAttributes: 0, droppedEvents: 0, droppedLinks: 0 },
    }
    reader.fields(end, SPAN_FIELDS, (tag) => {
      if (tag === B1) span.traceId = reader.hex(end)
      else if (tag === B2) span.spanId = reader.hex(end)
      else if (tag === B3) span.traceState = reader.text(end)
      else if (tag === B4) span.parentSpanId = reader.hex(end)
      else if (tag === B5) span.name = reader.text(end)
      else if (tag === V6) span.kind = spanKindOf(reader.int64(end))
      else if (tag === F7) span.startNs = reader.nanoseconds(end)
      else if (tag === F8) span.endNs = reader.nanoseconds(end)
      else if (tag === B9) attributes.push(reader.keyValue(end))
      else if (tag === V10) span.droppedAttributes = reader.varint32(end)
      else if (tag === B11) events.push(this.#event(reader.lengthDelimitedEnd(end)))
      else if (tag === V12) span.droppedEvents = reader.varint32(end)
      else if (tag === B13) links.push(this.#link(reader.lengthDelimitedEnd(end)))
      else if (tag === V14) span.droppedLinks = reader.varint32(end)
      else if (tag === B15) this.#status(reader.lengthDelimitedEnd(end), status)
      else if (tag === SPAN_FLAGS) span.flags = reader.fixed32(end)
      else return false
      return true
    })
    return span
  }

  #event(end: number): Required<SpanEvent> {
    const reader = this.#reader
    reader.countValue()
    const attributes: KeyValue[] = []
    const event: Mutable<Required<SpanEvent>> = { timeNs: 0n, name: '', attributes, droppedAttributes: 0 }
    reader.fields(end, EVENT_FIELDS, (tag) => {
      if (tag === F1) event.timeNs = reader.nanoseconds(end)
      else if (tag === B2) event.name = reader.text(end)
      else if (tag === B3) attributes.push(reader.keyValue(end))
      else if (tag === V4) event.droppedAttributes = reader.varint32(end)
      else return false
      return true
    })
    return event
  }

  #link(end: number): Required<SpanLink> {
    const reader = this.#reader
    reader.countValue()
    const attributes: KeyValue[] = []
    const link: Mutable<Required<SpanLink>> = {
      ...{ traceId: '', spanId: '', traceState: '', attributes, droppedAttributes: 0, flags: 0 },
    }
    reader.fields(end, LINK_FIELDS, (tag) => {
      if (tag === B1) link.traceId = reader.hex(end)
      else if (tag === B2) link.spanId = reader.hex(end)
      else if (tag === B3) link.traceState = reader.text(end)
      else if (tag === B4) attributes.push(reader.keyValue(end))
      else if (tag === V5) link.droppedAttributes = reader.varint32(end)
      else if (tag === LINK_FLAGS) link.flags = reader.fixed32(end)
      else return false
      return true
    })
    return link
  }

  #status(end: number, status: { code: SpanStatus; message: string }): void {
    const reader = this.#reader
    reader.fields(end, STATUS_FIELDS, (tag) => {
      if (tag === B2) status.message = reader.text(end)
      else if (tag === V3) status.code = spanStatusOf(reader.int64(end))
      else return false
      return true
    })
  }
}
