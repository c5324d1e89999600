import { attributeOf, type Trace, type TraceSpan } from './trace.ts'

/** How a trace is looked at, as it stands in the address: what is open, what is searched, which part of its time. Pure. */
export interface TraceView {
  readonly show: TraceShow
  /** Id of the span that is open; empty: none. */
  readonly span: string
  /** Part of a name, a service, or an attribute. */
  readonly text: string
  /** Shares of the trace's time, 0 to 1. */
  readonly from: number
  readonly to: number
  /** Ids of spans whose children are not shown. */
  readonly closed: readonly string[]
  /** A trace to compare with; empty: none. */
  readonly than: string
}

export const TRACE_SHOWS = ['waterfall', 'table'] as const
export type TraceShow = (typeof TRACE_SHOWS)[number]

export function parseTraceView(search: string): TraceView {
  const params = new URLSearchParams(search)
  const one = (name: string): string => params.get(name) ?? ''
  const [from, to] = one('zoom').split('-').map(Number)
  const isZoom = from !== undefined && to !== undefined && from >= 0 && from < to && to <= 1
  return {
    show: TRACE_SHOWS.find((show) => show === one('show')) ?? 'waterfall',
    span: one('span'),
    text: one('q'),
    from: isZoom ? from : 0,
    to: isZoom ? to : 1,
    closed: one('closed')
      .split(',')
      .filter((id) => id !== ''),
    than: one('than'),
  }
}

/** As the search of an address; what is usual is left out. */
export function searchOfTraceView(view: TraceView): Readonly<Record<string, string>> {
  const isZoomed = view.from > 0 || view.to < 1
  return {
    show: view.show === 'waterfall' ? '' : view.show,
    span: view.span,
    q: view.text,
    zoom: isZoomed ? `${shareText(view.from)}-${shareText(view.to)}` : '',
    closed: view.closed.join(','),
    than: view.than,
  }
}

function shareText(share: number): string {
  return String(Number(share.toFixed(5)))
}

/** Places of the spans that are shown: none below a closed one, and only those in time when a part of it is looked at. */
export function shownSpans({ spans, durationNs }: Trace, view: TraceView): readonly number[] {
  const closed = new Set(view.closed)
  const isWhole = view.from === 0 && view.to === 1
  const shown: number[] = []
  for (let i = 0; i < spans.length; i++) {
    const span = spans[i]!
    const isInTime = isWhole || (span.fromNs <= view.to * durationNs && span.toNs >= view.from * durationNs)
    if (isInTime) shown.push(i)
    if (closed.has(span.spanId)) i += span.below
  }
  return shown
}

/** Whether a span has the text in its name, its service, or an attribute: `key=value`, or a part of either. */
export function spanHas(span: TraceSpan, text: string): boolean {
  const wanted = text.toLowerCase()
  const isIn = (said: string): boolean => said.toLowerCase().includes(wanted)
  return (
    isIn(span.name) ||
    isIn(span.service) ||
    isIn(span.statusText) ||
    span.attributes.some(({ key, text: value }) => isIn(`${key}=${value}`)) ||
    span.events.some(({ name, attributes }) => isIn(name) || attributes.some((one) => isIn(`${one.key}=${one.text}`)))
  )
}

/** The next place from `at` on in a direction of which something holds, round the ends; `undefined`: there is none. */
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

/** Closes or opens a span; spans without children stay as they are. */
export function toggledSpan(view: TraceView, spanId: string): TraceView {
  const isClosed = view.closed.includes(spanId)
  return { ...view, closed: isClosed ? view.closed.filter((id) => id !== spanId) : [...view.closed, spanId] }
}

/** Opens a span for reading, and whatever it is hidden below. */
export function openedSpan(trace: Trace, view: TraceView, place: number): TraceView {
  const above = new Set<string>()
  const span = trace.spans[place]
  for (let at = span?.parent ?? -1; at >= 0; at = trace.spans[at]!.parent) above.add(trace.spans[at]!.spanId)
  const isOut =
    span !== undefined && (span.fromNs > view.to * trace.durationNs || span.toNs < view.from * trace.durationNs)
  return {
    ...view,
    span: span?.spanId ?? '',
    closed: view.closed.filter((id) => !above.has(id)),
    ...(isOut && { from: 0, to: 1 }),
  }
}

/** What tells spans of one name apart: the operand, the pool. */
export function tellingOf({ attributes }: TraceSpan): string {
  return attributeOf(attributes, 'component.name') ?? attributeOf(attributes, 'k8s.machine_config_pool.name') ?? ''
}
