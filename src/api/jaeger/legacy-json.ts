import { valueText } from '../../model/attribute-text.ts'
import type { AttributeValue, KeyValue } from '../../model/attribute.ts'
import type { Span, SpanEvent, SpanResource, StoredTrace } from '../../model/span.ts'

/** A trace as Jaeger's first HTTP API shows it: times in microseconds, attributes as typed tags, resources as processes. */
interface LegacyTag {
  readonly key: string
  readonly type: 'string' | 'bool' | 'int64' | 'float64' | 'binary'
  readonly value: string | number | boolean
}

interface LegacyProcess {
  readonly serviceName: string
  readonly tags: readonly LegacyTag[]
}

export interface LegacySpan {
  readonly traceID: string
  readonly spanID: string
  readonly flags?: number
  readonly operationName: string
  readonly references: readonly { readonly refType: string; readonly traceID: string; readonly spanID: string }[]
  readonly startTime: number
  readonly duration: number
  readonly tags: readonly LegacyTag[]
  readonly logs: readonly { readonly timestamp: number; readonly fields: readonly LegacyTag[] }[]
  readonly processID: string
  readonly warnings: null
}

/** A trace as JSON, piece by piece: no span is cut in two. */
export function* legacyTraceJson({ spans, isCut }: StoredTrace): Generator<string> {
  const processes: Record<string, LegacyProcess> = {}
  const idsByText = new Map<string, string>()
  const idOf = (resource: SpanResource): string => {
    const tags = resource.attributes.filter(({ key }) => key !== 'service.name').map(tagOf)
    const process = { serviceName: resource.service, tags }
    const text = JSON.stringify(process)
    const known = idsByText.get(text)
    if (known !== undefined) return known
    const id = `p${idsByText.size + 1}`
    idsByText.set(text, id)
    processes[id] = process
    return id
  }
  // Spans of one resource share the object.
  const ids = new Map<SpanResource, string>()
  yield `{"traceID":${JSON.stringify(spans[0]!.traceId)},"spans":[`
  for (const [i, span] of spans.entries()) {
    const id = ids.get(span.resource) ?? idOf(span.resource)
    ids.set(span.resource, id)
    yield `${i === 0 ? '' : ','}${JSON.stringify(legacySpan(span, id))}`
  }
  yield `],"processes":${JSON.stringify(processes)},"warnings":${isCut ? JSON.stringify([CUT_WARNING]) : 'null'}}`
}

/** Shown with a trace whose later spans were refused. */
export const CUT_WARNING =
  'Spans are missing: the trace reached store.trace-spans-max or store.trace-bytes-max, and later spans were refused.'

function legacySpan(span: Span, processID: string): LegacySpan {
  const { traceId, spanId, parentSpanId, links, flags } = span
  const parent = parentSpanId === undefined ? [] : [{ refType: 'CHILD_OF', traceID: traceId, spanID: parentSpanId }]
  const followed = links.map((link) => ({ refType: 'FOLLOWS_FROM', traceID: link.traceId, spanID: link.spanId }))
  return {
    ...{ traceID: traceId, spanID: spanId, ...(flags !== 0 && { flags }), operationName: span.name },
    references: [...parent, ...followed],
    startTime: microseconds(span.startNs),
    duration: span.endNs > span.startNs ? microseconds(span.endNs - span.startNs) : 0,
    tags: tagsOf(span),
    logs: span.events.map(logOf),
    processID,
    warnings: null,
  }
}

function tagsOf({ scope, attributes, kind, status, traceState }: Span): LegacyTag[] {
  const text = (key: string, value: string): LegacyTag[] => (value === '' ? [] : [{ key, type: 'string', value }])
  return [
    ...text('otel.scope.name', scope.name),
    ...text('otel.scope.version', scope.version),
    ...attributes.map(tagOf),
    ...text('span.kind', kind === 'unspecified' ? '' : kind),
    ...(status.code === 'error' ? [{ key: 'error', type: 'bool', value: true } as const] : []),
    ...text('otel.status_code', status.code === 'unset' ? '' : status.code.toUpperCase()),
    ...text('otel.status_description', status.message),
    ...text('w3c.tracestate', traceState),
  ]
}

function logOf({ timeNs, name, attributes }: SpanEvent): { timestamp: number; fields: LegacyTag[] } {
  const event: readonly LegacyTag[] = name === '' ? [] : [{ key: 'event', type: 'string', value: name }]
  return { timestamp: microseconds(timeNs), fields: [...event, ...attributes.map(tagOf)] }
}

function tagOf({ key, value }: KeyValue): LegacyTag {
  return { key, ...typed(value) }
}

/** Lists and maps are JSON texts; an integer that no double holds is a text, and so is what JSON has no number for. */
function typed(value: AttributeValue): Omit<LegacyTag, 'key'> {
  if (typeof value === 'boolean') return { type: 'bool', value }
  if (typeof value === 'bigint') return { type: 'int64', value: String(value) }
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return { type: 'int64', value }
    return { type: 'float64', value: Number.isFinite(value) ? value : String(value) }
  }
  return { type: value instanceof Uint8Array ? 'binary' : 'string', value: valueText(value) }
}

function microseconds(ns: bigint): number {
  return Number(ns / 1000n)
}
