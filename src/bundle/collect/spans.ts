import type { Span } from '../../model/span.ts'
import type { BundleCut, BundleSpan } from '../content.ts'
import { Bounded, cutOf } from '../limits.ts'
import { attributeTexts, checkWaiting, sizeOf, type BundleSources, type Part, type ReadContext } from './context.ts'

/** The spans of the traces of the subject, by start. */
export async function readSpans(read: BundleSources['trace'], context: ReadContext): Promise<Part<BundleSpan>> {
  const { subject, limits, signal } = context
  const taken = new Bounded<BundleSpan>(limits.spansMax, limits.partBytesMax)
  const cuts: BundleCut[] = []
  let found = 0
  for (const traceId of subject.traceIds) {
    checkWaiting(context)
    const trace = await read(traceId, signal)
    if (trace === undefined) continue
    found += trace.spans.length
    for (const span of trace.spans) {
      const item = spanOf(span, limits.textCharsMax)
      const { attributes, resource, events } = item
      const sizes = [attributes, resource, ...events.map((event) => event.attributes)].map(sizeOf)
      const texts = item.name.length + item.message.length + item.service.length
      taken.add(
        item,
        sizes.reduce((sum, size) => sum + size, texts),
      )
    }
    // Not read: they were refused when they arrived.
    if (trace.isCut)
      cuts.push({ what: `spans of trace ${traceId}`, shown: trace.spans.length, of: trace.spans.length, isMore: true })
  }
  return {
    items: taken.items.sort((a, b) => a.startMs - b.startMs || (a.spanId < b.spanId ? -1 : 1)),
    cuts: [...cutOf('spans', taken.items.length, found), ...cuts],
  }
}

function spanOf(span: Span, charsMax: number): BundleSpan {
  const { traceId, spanId, parentSpanId, name, kind, startNs, endNs, attributes, events, status, resource } = span
  return {
    ...{ traceId, spanId, parentSpanId: parentSpanId ?? null, name, kind },
    ...{ service: resource.service, cluster: resource.cluster },
    startMs: msOf(startNs),
    durationMs: msOf(endNs - startNs),
    ...{ status: status.code, message: status.message },
    attributes: attributeTexts(attributes, charsMax),
    resource: attributeTexts(resource.attributes, charsMax),
    events: events.map((event) => {
      return { atMs: msOf(event.timeNs), name: event.name, attributes: attributeTexts(event.attributes, charsMax) }
    }),
  }
}

/** With microseconds. */
function msOf(ns: bigint): number {
  return Number(ns / 1000n) / 1000
}
