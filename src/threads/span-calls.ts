/** Spans between threads: what the ingest worker does for them, durable when it answers, and what the query worker reads. */
import type { DerivedTrace, Span, TraceReader } from '../model/span.ts'
import type { StoreWriter } from '../store/writer.ts'

export type SpanCalls = {
  /** Answers how many their traces had no room for. */
  putSpans(spans: readonly Span[], nowMs: number): Promise<number>
  /** See `SpanSink`. */
  replaceSpans(traces: readonly DerivedTrace[], nowMs: number): Promise<void>
}

/** @param take runs what is put and commits it, or rejects because the writer has no room */
export function spanCalls({ spans }: StoreWriter, take: <T>(put: () => T) => Promise<T>): SpanCalls {
  return {
    putSpans: (put, nowMs) => take(() => spans.putSpans(put, nowMs).length),
    replaceSpans: (traces, nowMs) =>
      take(() => {
        spans.replaceSpans(traces, nowMs)
      }),
  }
}

/** The same as `TraceReader`, under names that say so beside the calls for series. */
export type TraceCalls = {
  traceServices: TraceReader['services']
  traceOperations: TraceReader['operations']
  searchTraces: TraceReader['search']
  trace: TraceReader['trace']
  traceDependencies: TraceReader['dependencies']
}

export function traceCalls(reader: TraceReader): TraceCalls {
  return {
    traceServices: () => reader.services(),
    traceOperations: (service, kind) => reader.operations(service, kind),
    searchTraces: (query) => reader.search(query),
    trace: (traceId) => reader.trace(traceId),
    traceDependencies: (range) => reader.dependencies(range),
  }
}

/** A `TraceReader` that asks the query worker. */
export function traceReaderOf(query: TraceCalls): TraceReader {
  return {
    services: () => query.traceServices(),
    operations: (service, kind) => query.traceOperations(service, kind),
    search: (asked) => query.searchTraces(asked),
    trace: (traceId) => query.trace(traceId),
    dependencies: (range) => query.traceDependencies(range),
  }
}
