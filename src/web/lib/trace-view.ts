import { choiceField, idsField, textField, viewCodec, type ViewOf } from './view-codec.ts'
import { attributeOf, type Trace, type TraceSpan } from './trace.ts'

type Zoom = readonly [from: number, to: number]
const WHOLE: Zoom = [0, 1]

function zoomIn(params: URLSearchParams): Zoom {
  const [from, to] = (params.get('zoom') ?? '').split('-').map(Number)
  return from !== undefined && to !== undefined && from >= 0 && from < to && to <= 1 ? [from, to] : WHOLE
}

/** The state of the page of a trace in its address: the open span, the search, the visible part of its time. Pure. */
export const TRACE_VIEW = viewCodec({
  show: choiceField('show', ['waterfall', 'table']),
  /** Id of the open span; empty: none. */
  span: textField('span'),
  /** Part of a name, a service, or an attribute. */
  text: textField('q'),
  /** Shares of the trace's time, 0 to 1. */
  zoom: {
    read: zoomIn,
    write: ([from, to]) => ({ zoom: from > 0 || to < 1 ? `${shareText(from)}-${shareText(to)}` : '' }),
  },
  /** Ids of spans whose children are hidden. */
  closed: idsField('closed'),
  /** A trace to compare with; empty: none. */
  than: textField('than'),
})
export type TraceView = ViewOf<typeof TRACE_VIEW>
export type TraceShow = TraceView['show']

function shareText(share: number): string {
  return String(Number(share.toFixed(5)))
}

/** Indices of the visible spans: none below a closed span, and only those within the zoom. */
export function shownSpans({ spans, durationNs }: Trace, view: TraceView): readonly number[] {
  const closed = new Set(view.closed)
  const [from, to] = view.zoom
  const isWhole = from === 0 && to === 1
  const shown: number[] = []
  for (let i = 0; i < spans.length; i++) {
    const span = spans[i]!
    const isInTime = isWhole || (span.fromNs <= to * durationNs && span.toNs >= from * durationNs)
    if (isInTime) shown.push(i)
    if (closed.has(span.spanId)) i += span.below
  }
  return shown
}

/** Whether a span has the text in its name, its service, or an attribute: `key=value`, or a part of either. */
export function spanHas(span: TraceSpan, text: string): boolean {
  const wanted = text.toLowerCase()
  const isIn = (value: string): boolean => value.toLowerCase().includes(wanted)
  return (
    isIn(span.name) ||
    isIn(span.service) ||
    isIn(span.statusText) ||
    span.attributes.some(({ key, text: value }) => isIn(`${key}=${value}`)) ||
    span.events.some(({ name, attributes }) => isIn(name) || attributes.some((one) => isIn(`${one.key}=${one.text}`)))
  )
}

/** The next index from `at` in a direction that satisfies `holds`, wrapping around; `undefined` without one. */
export function nextPlace(
  count: number,
  at: number | undefined,
  by: 1 | -1,
  holds: (place: number) => boolean,
): number | undefined {
  const first = at ?? (by === 1 ? -1 : count)
  for (let step = 1; step <= count; step++) {
    const place = (((first + by * step) % count) + count) % count
    if (holds(place)) return place
  }
  return undefined
}

/** Closes or opens a span. */
export function toggledSpan(view: TraceView, spanId: string): TraceView {
  const isClosed = view.closed.includes(spanId)
  return { ...view, closed: isClosed ? view.closed.filter((id) => id !== spanId) : [...view.closed, spanId] }
}

/** Opens a span and all of its closed ancestors. */
export function openedSpan(trace: Trace, view: TraceView, place: number): TraceView {
  const above = new Set<string>()
  const span = trace.spans[place]
  for (let at = span?.parent ?? -1; at >= 0; at = trace.spans[at]!.parent) above.add(trace.spans[at]!.spanId)
  const [from, to] = view.zoom
  const isOut = span !== undefined && (span.fromNs > to * trace.durationNs || span.toNs < from * trace.durationNs)
  return {
    ...view,
    span: span?.spanId ?? '',
    closed: view.closed.filter((id) => !above.has(id)),
    ...(isOut && { zoom: WHOLE }),
  }
}

/** What distinguishes spans of one name: the operand, the pool. */
export function partOf({ attributes }: TraceSpan): string {
  return attributeOf(attributes, 'component.name') ?? attributeOf(attributes, 'k8s.machine_config_pool.name') ?? ''
}
