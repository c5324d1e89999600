import { groupBy } from './group-by.ts'
import { otlpText, type OtlpKeyValue, type OtlpResourceSpans, type OtlpSpan } from './otlp-json.ts'

/**
 * A trace for drawing: spans in tree order, times relative to the start. Pure. A number cannot hold nanoseconds since the
 * epoch, but holds those since the start of the trace: exactly for a hundred days, beyond that to the microsecond.
 */
export interface Trace {
  readonly traceId: string
  /** Since the epoch, of the earliest span. */
  readonly startMs: number
  readonly durationNs: number
  /** Parents before their children, children by start. At least one. */
  readonly spans: readonly TraceSpan[]
}

export interface TraceSpan {
  readonly spanId: string
  readonly name: string
  readonly kind: string
  readonly service: string
  /** Since the start of the trace. */
  readonly fromNs: number
  /** Never less than `fromNs`: a clock that jumped back gives a span without duration. */
  readonly toNs: number
  readonly isError: boolean
  readonly statusText: string
  readonly attributes: readonly TextAttribute[]
  readonly events: readonly TraceEvent[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly resource: readonly TextAttribute[]
  readonly scope: string
  /** Index in `spans`; -1: none, or not in the trace. */
  readonly parent: number
  /** Its parent is not in the trace. */
  readonly isOrphan: boolean
  readonly depth: number
  /** The number of its descendants, which follow it in `spans`. */
  readonly below: number
}

export interface TextAttribute {
  readonly key: string
  readonly text: string
}

interface TraceEvent {
  readonly name: string
  /** Since the start of the trace; may lie outside its span. */
  readonly atNs: number
  readonly attributes: readonly TextAttribute[]
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer']
const STATUS_ERROR = 2

interface Found {
  readonly span: OtlpSpan
  readonly startNs: bigint
  readonly service: string
  readonly resource: readonly TextAttribute[]
  readonly scope: string
}

/** `undefined` when there is no span. */
export function traceOfOtlp(resourceSpans: readonly OtlpResourceSpans[]): Trace | undefined {
  const found = resourceSpans.flatMap(spansOf)
  const first = found.reduce<Found | undefined>((least, one) => {
    return least === undefined || one.startNs < least.startNs ? one : least
  }, undefined)
  if (first === undefined) return undefined
  const spans = drawn(found, first.startNs)
  return {
    traceId: first.span.traceId,
    startMs: Number(first.startNs / 1_000_000n),
    durationNs: spans.reduce((most, { toNs }) => Math.max(most, toNs), 0),
    spans,
  }
}

function spansOf({ resource, scopeSpans = [] }: OtlpResourceSpans): readonly Found[] {
  const attributes = texts(resource?.attributes)
  const service = attributeOf(attributes, 'service.name') ?? 'unknown_service'
  return scopeSpans.flatMap(({ scope, spans = [] }) =>
    spans.map((span) => ({
      span,
      startNs: BigInt(span.startTimeUnixNano),
      service,
      resource: attributes,
      scope: [scope?.name ?? '', scope?.version ?? ''].filter((part) => part !== '').join(' '),
    })),
  )
}

function texts(attributes: readonly OtlpKeyValue[] = []): readonly TextAttribute[] {
  return attributes.map(({ key, value }) => ({ key, text: otlpText(value) }))
}

/** The last of repeated keys counts. */
export function attributeOf(attributes: readonly TextAttribute[], key: string): string | undefined {
  return attributes.findLast((attribute) => attribute.key === key)?.text
}

/** Depth first, without recursion: a chain of parents may be as long as the trace. */
function drawn(found: readonly Found[], zeroNs: bigint): readonly TraceSpan[] {
  const places = new Map(found.map(({ span }, i) => [span.spanId, i]))
  const children = groupBy([...found.keys()], (i) => {
    const parent = places.get(found[i]!.span.parentSpanId ?? '') ?? -1
    return parent === i ? -1 : parent
  })
  const byStart = (a: number, b: number): number => compareStarts(found[a]!, found[b]!)
  const spans: TraceSpan[] = []
  const seen = new Set<number>()
  const walk = (root: number): void => {
    const waiting: (readonly [at: number, parent: number, depth: number])[] = [[root, -1, 0]]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [at, parent, depth] = next
      if (seen.has(at)) continue
      seen.add(at)
      const place = spans.push(shownSpan(found[at]!, zeroNs, parent, depth)) - 1
      const below = [...(children.get(at) ?? [])].sort(byStart)
      for (const child of below.reverse()) waiting.push([child, place, depth + 1])
    }
  }
  for (const root of [...(children.get(-1) ?? [])].sort(byStart)) walk(root)
  // Spans in a ring of parents have no root: the earliest of the ring becomes one.
  for (const at of found.map((_one, i) => i).sort(byStart)) if (!seen.has(at)) walk(at)
  return withBelow(spans)
}

function compareStarts(a: Found, b: Found): number {
  if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
  return a.span.spanId < b.span.spanId ? -1 : Number(a.span.spanId > b.span.spanId)
}

function shownSpan(found: Found, zeroNs: bigint, parent: number, depth: number): TraceSpan {
  const { span, startNs, service, resource, scope } = found
  const sinceStart = (ns: string): number => Number(BigInt(ns) - zeroNs)
  const fromNs = Number(startNs - zeroNs)
  return {
    spanId: span.spanId,
    name: span.name,
    kind: KINDS[span.kind ?? 0] ?? 'internal',
    service,
    fromNs,
    toNs: Math.max(fromNs, sinceStart(span.endTimeUnixNano)),
    isError: span.status?.code === STATUS_ERROR,
    statusText: span.status?.message ?? '',
    attributes: texts(span.attributes),
    events: (span.events ?? []).map(({ name = '', timeUnixNano, attributes }) => ({
      name,
      atNs: sinceStart(timeUnixNano),
      attributes: texts(attributes),
    })),
    links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
    ...{ resource, scope, parent, depth },
    isOrphan: parent === -1 && (span.parentSpanId ?? '') !== '',
    below: 0,
  }
}

function withBelow(spans: readonly TraceSpan[]): readonly TraceSpan[] {
  const below = new Uint32Array(spans.length)
  for (let i = spans.length - 1; i >= 0; i--) {
    const { parent } = spans[i]!
    if (parent >= 0) below[parent]! += below[i]! + 1
  }
  return spans.map((span, i) => ({ ...span, below: below[i]! }))
}
