import type { Cancellation } from '../base/cancellation.ts'
import type { Attributes } from './attribute.ts'

/** A span of OpenTelemetry (trace.proto) with its resource and scope. Times are nanoseconds since the epoch. */
export interface Span {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string
  /** Absent: a root. */
  readonly parentSpanId?: string
  readonly traceState: string
  readonly name: string
  readonly kind: SpanKind
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  readonly links: readonly SpanLink[]
  readonly status: { readonly code: SpanStatus; readonly message: string }
  readonly flags: number
  readonly resource: SpanResource
  readonly scope: SpanScope
  /** Dropped by the sender, or invalid ids; absent: nothing. */
  readonly dropped?: { readonly attributes: number; readonly events: number; readonly links: number }
}

/** In the order of the protocol's numbers, from 0. */
export const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const
export type SpanKind = (typeof SPAN_KINDS)[number]

/** In the order of the protocol's numbers, from 0. */
export const SPAN_STATUSES = ['unset', 'ok', 'error'] as const
export type SpanStatus = (typeof SPAN_STATUSES)[number]

export interface SpanEvent {
  readonly timeNs: bigint
  readonly name: string
  readonly attributes: Attributes
  /** As `Span.dropped`; absent: none. */
  readonly droppedAttributes?: number
}

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
  readonly traceState: string
  readonly attributes: Attributes
  /** Absent: 0. */
  readonly flags?: number
  readonly droppedAttributes?: number
}

export interface SpanResource {
  /** `service.name`; `unknown_service` when none was sent. */
  readonly service: string
  /** The cluster, as named by `ingest`; empty when unknown. */
  readonly cluster: string
  readonly attributes: Attributes
  readonly droppedAttributes?: number
  /** Absent: none was sent. */
  readonly schemaUrl?: string
}

export interface SpanScope {
  readonly name: string
  readonly version: string
  readonly attributes: Attributes
  readonly droppedAttributes?: number
  /** Absent: none was sent. */
  readonly schemaUrl?: string
}

/** Writes spans. Trace id and span id identify a span. */
export interface SpanSink {
  /**
   * Spans of senders, in any order, with repeats. Of two with the same ids the one that ends later is stored (at a tie, the one
   * with the greater bytes). Durable with the next commit of the appender. Returns those beyond a limit of their traces,
   * which are marked as cut.
   */
  putSpans(spans: readonly Span[], nowMs: number): readonly RefusedSpan[]
  /** Derived spans: replace all spans of a trace with this scope. Durable as above. */
  replaceSpans(traces: readonly DerivedTrace[], nowMs: number): void
}

export interface RefusedSpan {
  readonly span: Span
  readonly reason: 'trace_span_limit' | 'trace_byte_limit'
}

export interface DerivedTrace {
  readonly traceId: string
  /** The name of their scope. */
  readonly scope: string
  /** All of this trace and scope; empty: there are none any more. */
  readonly spans: readonly Span[]
}

/** Upgrade spans sent by operators, by cluster: for deriving facts of changed clusters. */
export interface UpgradeSpanReader {
  /** Clusters with spans that were put after a position, without derived ones, and the newest position. 0: all. */
  changedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }>
  /** Of one cluster, by start and then ids. */
  upgradeSpans(cluster: string): Promise<readonly Span[]>
}

export interface TraceQuery {
  readonly service?: string
  /** A span's name. */
  readonly operation?: string
  /**
   * All on one span or its resource; compared as texts. With Jaeger's: `error` (`true`), `span.kind`, `otel.status_code`,
   * `otel.status_description`, `otel.scope.name`, `otel.scope.version`.
   */
  readonly attributes?: Readonly<Record<string, string>>
  /** Traces with a matching span that starts in this range, both inclusive. */
  readonly fromNs: bigint
  readonly toNs: bigint
  /** Duration of a matching span, both inclusive. */
  readonly minDurationNs?: bigint
  readonly maxDurationNs?: bigint
  /** Traces at most, the newest start first; at a tie by trace id. */
  readonly limit: number
}

export interface ServiceOperation {
  readonly name: string
  readonly kind: SpanKind
}

export interface ServiceDependency {
  readonly parent: string
  readonly child: string
  readonly callCount: number
}

/** A trace as it is stored. */
export interface StoredTrace {
  /** At least one. */
  readonly spans: readonly Span[]
  /** Spans of it were refused, because it was at a limit. */
  readonly isCut: boolean
}

/** Reading traces. All lists are in a fixed order: names by code point, spans by start and then span id. */
export interface TraceReader {
  services(): Promise<readonly string[]>
  operations(service: string, kind?: SpanKind): Promise<readonly ServiceOperation[]>
  /** Each found trace, whole, read when it is asked for: the caller has one in memory at a time. */
  search(query: TraceQuery, signal?: Cancellation): AsyncIterable<StoredTrace>
  trace(traceId: string, signal?: Cancellation): Promise<StoredTrace | undefined>
  dependencies(
    range: { readonly fromNs: bigint; readonly toNs: bigint },
    signal?: Cancellation,
  ): Promise<readonly ServiceDependency[]>
}
