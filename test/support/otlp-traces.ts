import fc from 'fast-check'
import { SPAN_KINDS, SPAN_STATUSES, type SpanEvent, type SpanLink } from '../../src/model/span.ts'
import type { OtlpScope } from '../../src/wire/otlp/resource.ts'
import type { OtlpSpan, TracesRequest } from '../../src/wire/otlp/traces.ts'
import { arbitraryEnvelopes, envelopeJson, envelopeProtobuf, fixed32, hex } from './otlp-envelope.ts'
import { attributeList, attributes, bits64, each, entryJson, integer, message, text, type Write } from './otlp.ts'
import { spanIdOf, traceIdOf } from './spans.ts'

/** OTLP traces requests as senders write them, in both encodings, and requests of all shapes. */

type Resources = Pick<TracesRequest, 'resources'>

export function encodeTracesProtobuf({ resources }: Resources): Uint8Array {
  return envelopeProtobuf(resources, ({ spans }) => each(spans, spanMessage))
}

function spanMessage(span: OtlpSpan): Write {
  return message(
    2,
    hex(1, span.traceId),
    hex(2, span.spanId),
    text(3, span.traceState),
    hex(4, span.parentSpanId),
    text(5, span.name),
    integer(6, SPAN_KINDS.indexOf(span.kind)),
    bits64(7, span.startNs),
    bits64(8, span.endNs),
    attributes(9, span.attributes),
    integer(10, span.droppedAttributes),
    each(span.events, (event) =>
      message(
        11,
        bits64(1, event.timeNs),
        text(2, event.name),
        attributes(3, event.attributes),
        integer(4, event.droppedAttributes),
      ),
    ),
    integer(12, span.droppedEvents),
    each(span.links, (link) =>
      message(
        13,
        hex(1, link.traceId),
        hex(2, link.spanId),
        text(3, link.traceState),
        attributes(4, link.attributes),
        integer(5, link.droppedAttributes),
        fixed32(6, link.flags),
      ),
    ),
    integer(14, span.droppedLinks),
    message(15, text(2, span.status.message), integer(3, SPAN_STATUSES.indexOf(span.status.code))),
    fixed32(16, span.flags),
  )
}

/** Numbers where others send texts, and the other way round; ids in upper case now and then. */
export function encodeTracesJson({ resources }: Resources): string {
  return JSON.stringify({
    unknown: { anything: [1] },
    resourceSpans: resources.map((one) =>
      envelopeJson(one, 'scopeSpans', ({ spans }) => ({ spans: spans.map(spanJson) })),
    ),
  })
}

function spanJson(span: OtlpSpan): unknown {
  return {
    traceId: span.traceId.toUpperCase(),
    spanId: span.spanId,
    ...(span.parentSpanId === '' ? {} : { parentSpanId: span.parentSpanId }),
    traceState: span.traceState,
    name: span.name,
    kind: span.spanId.endsWith('1') ? `SPAN_KIND_${span.kind.toUpperCase()}` : SPAN_KINDS.indexOf(span.kind),
    startTimeUnixNano: String(span.startNs),
    endTimeUnixNano: String(span.endNs),
    attributes: span.attributes.map(entryJson),
    droppedAttributesCount: span.droppedAttributes,
    events: span.events.map((event) => ({
      timeUnixNano: String(event.timeNs),
      name: event.name,
      attributes: event.attributes.map(entryJson),
      droppedAttributesCount: event.droppedAttributes,
      futureField: null,
    })),
    droppedEventsCount: span.droppedEvents,
    links: span.links.map((link) => ({
      traceId: link.traceId,
      spanId: link.spanId.toUpperCase(),
      traceState: link.traceState,
      attributes: link.attributes.map(entryJson),
      droppedAttributesCount: link.droppedAttributes,
      flags: link.flags,
    })),
    droppedLinksCount: span.droppedLinks,
    status: { code: SPAN_STATUSES.indexOf(span.status.code), message: span.status.message },
    flags: span.flags,
  }
}

export const NO_SCOPE: OtlpScope = { name: '', version: '', attributes: [], droppedAttributes: 0, schemaUrl: '' }

export function otlpSpan(more: Partial<OtlpSpan> = {}): OtlpSpan {
  return {
    ...{ traceId: traceIdOf(1), spanId: spanIdOf(1), parentSpanId: '', traceState: '', name: 'reconcile' },
    ...{ kind: 'internal', startNs: 1n, endNs: 2n, attributes: [], events: [], links: [], flags: 0 },
    ...{ status: { code: 'unset', message: '' }, droppedAttributes: 0, droppedEvents: 0, droppedLinks: 0 },
    ...more,
  }
}

/** A request of one resource with these spans. */
export function tracesOf(
  resource: Readonly<Record<string, string>>,
  ...spans: readonly OtlpSpan[]
): Pick<TracesRequest, 'resources'> {
  const list = Object.entries(resource).map(([key, value]) => ({ key, value }))
  return {
    resources: [
      {
        resource: { attributes: list, droppedAttributes: 0, schemaUrl: '' },
        scopes: [{ scope: NO_SCOPE, spans }],
      },
    ],
  }
}

const id = (bytes: readonly number[]) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(traceIdOf(1), spanIdOf(1), spanIdOf(0xabc), traceIdOf(0xdef)) },
    { weight: 1, arbitrary: fc.constantFrom('', ...bytes.map((count) => 'ab'.repeat(count))) },
  )
const text16 = fc.string({ maxLength: 5, unit: 'grapheme' })
const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const count = fc.nat(0xffffffff)
const event: fc.Arbitrary<Required<SpanEvent>> = fc.record({
  timeNs: nanoseconds,
  name: text16,
  attributes: attributeList,
  droppedAttributes: count,
})
const link: fc.Arbitrary<Required<SpanLink>> = fc.record({
  traceId: id([1, 16]),
  spanId: id([8]),
  traceState: text16,
  attributes: attributeList,
  droppedAttributes: count,
  flags: count,
})
const span: fc.Arbitrary<OtlpSpan> = fc.record({
  traceId: id([1, 15, 16]),
  spanId: id([7, 8, 9]),
  parentSpanId: id([8]),
  traceState: text16,
  name: text16,
  kind: fc.constantFrom(...SPAN_KINDS),
  startNs: nanoseconds,
  endNs: nanoseconds,
  attributes: attributeList,
  droppedAttributes: count,
  events: fc.array(event, { maxLength: 2 }),
  droppedEvents: count,
  links: fc.array(link, { maxLength: 2 }),
  droppedLinks: count,
  status: fc.record({ code: fc.constantFrom(...SPAN_STATUSES), message: text16 }),
  flags: count,
})

export const arbitraryTraces: fc.Arbitrary<TracesRequest> = arbitraryEnvelopes(span).map((envelopes) => {
  const resources = envelopes.map(({ resource, scopes }) => ({
    resource,
    scopes: scopes.map(({ scope, items }) => ({ scope, spans: items })),
  }))
  return { resources, spanCount: resources.flatMap(({ scopes }) => scopes.flatMap(({ spans }) => spans)).length }
})
