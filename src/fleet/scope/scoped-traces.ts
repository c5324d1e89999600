import { FleetError } from '../../base/errors.ts'
import { compareText } from '../../model/labels.ts'
import type { Cancellation } from '../../base/cancellation.ts'
import type { ServiceDependency, ServiceOperation, Span, StoredTrace, TraceReader } from '../../model/span.ts'

/**
 * The traces of a scope: only spans of its clusters, and of a trace with spans of others only these. Names of services and
 * operations are stored for the whole fleet; those of a scope are read from its newest traces.
 */

/** Traces that a list of names is read from. */
export const NAMED_TRACES_MAX = 1000

/** @param includes whether a name is one of a cluster of the scope */
export function scopedTraces(
  reader: Pick<SpanSearch, 'trace' | 'searchSpans'>,
  includes: (cluster: string) => boolean,
): TraceReader {
  const isShown = ({ resource }: Span): boolean => includes(resource.cluster)
  const newest = (service?: string): AsyncIterable<StoredTrace> =>
    untilLimit(
      reader.searchSpans(
        { fromNs: 0n, toNs: INT64_MAX, limit: NAMED_TRACES_MAX, ...(service === undefined ? {} : { service }) },
        isShown,
      ),
    )
  return {
    services: async () => {
      const found = new Set<string>()
      for await (const { spans } of newest()) for (const { resource } of spans) found.add(resource.service)
      return [...found].sort(compareText)
    },
    operations: async (service, kind) => {
      const found = new Map<string, ServiceOperation>()
      for await (const { spans } of newest(service)) {
        for (const span of spans) {
          if (span.resource.service !== service || (kind ?? span.kind) !== span.kind) continue
          found.set(`${span.name}\u0000${span.kind}`, { name: span.name, kind: span.kind })
        }
      }
      return [...found].sort(([a], [b]) => compareText(a, b)).map(([, operation]) => operation)
    },
    search: (query, signal) => reader.searchSpans(query, isShown, signal),
    trace: async (traceId, signal) => {
      const found = await reader.trace(traceId, signal)
      const spans = found?.spans.filter(isShown) ?? []
      return found === undefined || spans.length === 0 ? undefined : { ...found, spans }
    },
    dependencies: async (range, signal) => {
      const calls = new Map<string, ServiceDependency>()
      for await (const { spans } of reader.searchSpans({ ...range, limit: Infinity }, isShown, signal)) {
        const serviceOf = new Map(spans.map(({ spanId, resource }) => [spanId, resource.service]))
        for (const { parentSpanId, resource } of spans) {
          const parent = parentSpanId === undefined ? undefined : serviceOf.get(parentSpanId)
          if (parent === undefined || parent === resource.service) continue
          const key = `${parent}\u0000${resource.service}`
          const callCount = 1 + (calls.get(key)?.callCount ?? 0)
          calls.set(key, { parent, child: resource.service, callCount })
        }
      }
      return [...calls].sort(([a], [b]) => compareText(a, b)).map(([, call]) => call)
    },
  }
}

/** Ends where a search would have to look at too many traces of others. */
async function* untilLimit(traces: AsyncIterable<StoredTrace>): AsyncGenerator<StoredTrace> {
  try {
    yield* traces
  } catch (thrown) {
    if (!(thrown instanceof FleetError) || thrown.code !== 'query_limit') throw thrown
  }
}

/** A reader of traces that can leave out spans before it decides which traces match. */
export interface SpanSearch extends TraceReader {
  /** As `search`; traces have only the spans that are shown. */
  searchSpans(
    query: Parameters<TraceReader['search']>[0],
    isShown: (span: Span) => boolean,
    signal?: Cancellation,
  ): AsyncIterable<StoredTrace>
}

const INT64_MAX = 2n ** 63n - 1n
