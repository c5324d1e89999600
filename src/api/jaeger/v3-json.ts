import type { Attributes, AttributeValue } from '../../model/attribute.ts'
import {
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
  type SpanEvent,
  type SpanLink,
  type SpanResource,
  type SpanScope,
  type StoredTrace,
} from '../../model/span.ts'
import { CUT_WARNING } from './legacy-json.ts'

/**
 * Spans as OTLP/JSON, as Jaeger's third HTTP API shows them: ids in hexadecimal, 64-bit numbers as texts, enums as numbers;
 * empty fields except the status are omitted. Also the summary of a trace in a list.
 */

/** The `resourceSpans` of a trace, piece by piece: no span is cut in two. The first span has the warning of a cut trace. */
export function* resourceSpansJson({ spans, isCut }: StoredTrace): Generator<string> {
  const json = (span: Span): string => {
    return JSON.stringify(spanJson(isCut && span === spans[0] ? { ...span, attributes: warned(span) } : span))
  }
  for (const [r, [resource, ofResource]] of grouped(spans, (span) => span.resource).entries()) {
    yield `${r === 0 ? '' : ','}{"resource":${JSON.stringify(resourceJson(resource))},"scopeSpans":[`
    for (const [s, [scope, ofScope]] of grouped(ofResource, (span) => span.scope).entries()) {
      yield `${s === 0 ? '' : ','}{"scope":${JSON.stringify(scopeJson(scope))}${schemaUrlOf(scope)},"spans":[`
      for (const [i, span] of ofScope.entries()) yield `${i === 0 ? '' : ','}${json(span)}`
      yield ']}'
    }
    yield `]${schemaUrlOf(resource)}}`
  }
}

function schemaUrlOf({ schemaUrl }: Pick<SpanScope, 'schemaUrl'>): string {
  return schemaUrl === undefined ? '' : `,"schemaUrl":${JSON.stringify(schemaUrl)}`
}

/** The attribute in which Jaeger carries warnings. */
function warned({ attributes }: Span): Attributes {
  return [...attributes, { key: WARNINGS_ATTRIBUTE, value: [CUT_WARNING] }]
}

const WARNINGS_ATTRIBUTE = '@jaeger@warnings'

/** Equal ones together, in the order in which they first come. */
function grouped<K>(spans: readonly Span[], keyOf: (span: Span) => K): (readonly [K, readonly Span[]])[] {
  const groups = new Map<string, readonly [K, Span[]]>()
  const texts = new Map<K, string>()
  for (const span of spans) {
    const key = keyOf(span)
    let text = texts.get(key)
    if (text === undefined) texts.set(key, (text = JSON.stringify(key, plain)))
    const known = groups.get(text)
    if (known === undefined) groups.set(text, [key, [span]])
    else known[1].push(span)
  }
  return [...groups.values()]
}

/** JSON has no bigint, and no NaN. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? `${typeof value} ${String(value)}` : value
}

function resourceJson({ attributes, droppedAttributes }: SpanResource): unknown {
  return { attributes: attributesJson(attributes), ...droppedJson(droppedAttributes) }
}

function scopeJson({ name, version, attributes, droppedAttributes }: SpanScope): unknown {
  return {
    ...(name !== '' && { name }),
    ...(version !== '' && { version }),
    ...(attributes.length > 0 && { attributes: attributesJson(attributes) }),
    ...droppedJson(droppedAttributes),
  }
}

function spanJson(span: Span): unknown {
  const { traceState, attributes, events, links, dropped, flags, status } = span
  const kind = SPAN_KINDS.indexOf(span.kind)
  const code = SPAN_STATUSES.indexOf(status.code)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(traceState !== '' && { traceState }),
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    ...(flags > 0 && { flags }),
    name: span.name,
    ...(kind > 0 && { kind }),
    startTimeUnixNano: String(span.startNs),
    endTimeUnixNano: String(span.endNs),
    ...(attributes.length > 0 && { attributes: attributesJson(attributes) }),
    ...droppedJson(dropped?.attributes),
    ...(events.length > 0 && { events: events.map(eventJson) }),
    ...(dropped !== undefined && dropped.events > 0 && { droppedEventsCount: dropped.events }),
    ...(links.length > 0 && { links: links.map(linkJson) }),
    ...(dropped !== undefined && dropped.links > 0 && { droppedLinksCount: dropped.links }),
    status: { ...(status.message !== '' && { message: status.message }), ...(code > 0 && { code }) },
  }
}

function eventJson({ timeNs, name, attributes, droppedAttributes }: SpanEvent): unknown {
  return {
    timeUnixNano: String(timeNs),
    name,
    ...(attributes.length > 0 && { attributes: attributesJson(attributes) }),
    ...droppedJson(droppedAttributes),
  }
}

function linkJson({ traceId, spanId, traceState, attributes, droppedAttributes, flags }: SpanLink): unknown {
  return {
    ...{ traceId, spanId, ...(traceState !== '' && { traceState }) },
    ...(attributes.length > 0 && { attributes: attributesJson(attributes) }),
    ...droppedJson(droppedAttributes),
    ...(flags !== undefined && { flags }),
  }
}

function droppedJson(count: number | undefined): { readonly droppedAttributesCount?: number } {
  return count === undefined || count === 0 ? {} : { droppedAttributesCount: count }
}

function attributesJson(attributes: Attributes): unknown[] {
  return attributes.map(({ key, value }) => ({ key, value: valueJson(value) }))
}

function valueJson(value: AttributeValue): unknown {
  if (value === undefined) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) return { intValue: String(value) }
    return { doubleValue: Number.isFinite(value) ? value : String(value) }
  }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') }
  if ('entries' in value && !Array.isArray(value)) {
    return { kvlistValue: { values: attributesJson((value as { readonly entries: Attributes }).entries) } }
  }
  return { arrayValue: { values: (value as readonly AttributeValue[]).map(valueJson) } }
}

export function traceSummary({ spans }: StoredTrace): unknown {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const isRoot = ({ parentSpanId }: Span): boolean => parentSpanId === undefined
  const isOrphan = ({ parentSpanId }: Span): boolean => parentSpanId !== undefined && !ids.has(parentSpanId)
  // Without its root, a trace has the name of its first orphan.
  const root = spans.find(isRoot) ?? spans.find(isOrphan) ?? spans[0]!
  const services = new Map<string, { name: string; spanCount: number; errorSpanCount: number }>()
  let startNs = root.startNs
  let endNs = root.endNs
  for (const span of spans) {
    if (span.startNs < startNs) startNs = span.startNs
    if (span.endNs > endNs) endNs = span.endNs
    const name = span.resource.service
    const service = services.get(name) ?? { name, spanCount: 0, errorSpanCount: 0 }
    service.spanCount++
    if (isError(span)) service.errorSpanCount++
    services.set(name, service)
  }
  return {
    traceId: root.traceId,
    rootServiceName: root.resource.service,
    rootOperationName: root.name,
    minStartTimeUnixNano: String(startNs),
    maxEndTimeUnixNano: String(endNs),
    spanCount: spans.length,
    errorSpanCount: spans.filter(isError).length,
    orphanSpanCount: spans.filter(isOrphan).length,
    services: [...services.values()].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))),
  }
}

function isError({ status }: Span): boolean {
  return status.code === 'error'
}
