import {
  SPAN_KINDS,
  SPAN_STATUSES,
  type Span,
  type SpanEvent,
  type SpanKind,
  type SpanLink,
  type SpanStatus,
} from '../../model/span.ts'
import type { OtlpResource, OtlpScope } from './resource.ts'

/**
 * An OTLP traces request (opentelemetry-proto 1.x, trace.proto and trace_service.proto), decoded from either encoding.
 * Only types are validated here: times may be 0, ids of any length.
 */
export interface TracesRequest {
  readonly resources: readonly ResourceSpans[]
  readonly spanCount: number
}

export interface ResourceSpans {
  readonly resource: OtlpResource
  readonly scopes: readonly ScopeSpans[]
}

export interface ScopeSpans {
  readonly scope: OtlpScope
  readonly spans: readonly OtlpSpan[]
}

/** Ids in hexadecimal, of at most 16 bytes; empty when not sent or invalid. */
export interface OtlpSpan extends Omit<Span, 'parentSpanId' | 'resource' | 'scope' | 'dropped' | 'events' | 'links'> {
  readonly parentSpanId: string
  readonly events: readonly Required<SpanEvent>[]
  readonly links: readonly Required<SpanLink>[]
  readonly droppedAttributes: number
  readonly droppedEvents: number
  readonly droppedLinks: number
}

/** A number that is no kind is 'unspecified'. */
export function spanKindOf(code: number): SpanKind {
  return SPAN_KINDS[code] ?? 'unspecified'
}

/** A number that is no status is 'unset'. */
export function spanStatusOf(code: number): SpanStatus {
  return SPAN_STATUSES[code] ?? 'unset'
}

export interface TracesRequestLimits {
  /** Inclusive. */
  readonly spansMax: number
  /**
   * Inclusive: attributes and nested values, of all levels together, and events and links. Each can take as little as
   * two bytes.
   */
  readonly attributesMax: number
}
