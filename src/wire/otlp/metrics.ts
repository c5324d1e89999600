import type { Attributes } from '../../model/attribute.ts'

/**
 * An OTLP metrics request (opentelemetry-proto 1.x, metrics.proto and metrics_service.proto), decoded from either
 * encoding. Only types are validated here: times may be 0, buckets may not match their bounds.
 */
export interface MetricsRequest {
  readonly resources: readonly ResourceMetrics[]
  readonly pointCount: number
  readonly exemplarCount: number
}

export interface ResourceMetrics {
  readonly attributes: Attributes
  readonly scopes: readonly ScopeMetrics[]
}

export interface ScopeMetrics {
  readonly scope: Scope
  readonly metrics: readonly Metric[]
}

export interface Scope {
  readonly name: string
  readonly version: string
  readonly attributes: Attributes
  readonly schemaUrl: string
}

export interface Metric {
  readonly name: string
  /** Absent: none was sent. */
  readonly description?: string
  /** As sent: `By`, `ms`, `{items}`, `m/s`. */
  readonly unit: string
  readonly data: MetricData
}

export type MetricData =
  /** A metric without points, or of a kind that did not exist when this was written. */
  | { readonly kind: 'none' }
  | { readonly kind: 'gauge'; readonly points: readonly NumberPoint[] }
  | {
      readonly kind: 'sum'
      readonly points: readonly NumberPoint[]
      readonly temporality: Temporality
      readonly isMonotonic: boolean
    }
  | { readonly kind: 'histogram'; readonly points: readonly HistogramPoint[]; readonly temporality: Temporality }
  | {
      readonly kind: 'exponential_histogram'
      readonly points: readonly ExponentialPoint[]
      readonly temporality: Temporality
    }
  | { readonly kind: 'summary'; readonly points: readonly SummaryPoint[] }

/** A number that is no temporality is 'unspecified'. */
export type Temporality = 'unspecified' | 'delta' | 'cumulative'

const TEMPORALITIES: readonly Temporality[] = ['unspecified', 'delta', 'cumulative']

export function temporalityOf(code: number): Temporality {
  return TEMPORALITIES[code] ?? 'unspecified'
}

interface Point {
  readonly attributes: Attributes
  /** Milliseconds, rounded down from nanoseconds; 0 when it was not sent. */
  readonly startMs: number
  /** Milliseconds, rounded down from nanoseconds; 0 when it was not sent. */
  readonly timeMs: number
  /** The stream has ended: the flag NO_RECORDED_VALUE, or a stale marker sent as the value. */
  readonly isStale: boolean
}

/** One sampled observation; ids in hexadecimal, empty when not sent. */
export interface OtlpExemplar {
  readonly attributes: Attributes
  readonly timeMs: number
  readonly value: number | undefined
  readonly traceId: string
  readonly spanId: string
}

export interface NumberPoint extends Point {
  /** Absent when neither an integer nor a double was sent. An integer beyond +-2^53 is rounded, as samples are doubles. */
  readonly value: number | undefined
  /** Absent: none were sent. */
  readonly exemplars?: readonly OtlpExemplar[]
}

export interface HistogramPoint extends Point {
  readonly count: number
  readonly sum: number | undefined
  /** Per bucket, not cumulative. */
  readonly bucketCounts: readonly number[]
  readonly bounds: readonly number[]
  /** Absent: none were sent. */
  readonly exemplars?: readonly OtlpExemplar[]
}

export interface ExponentialPoint extends Point {
  readonly count: number
  readonly sum: number | undefined
  /** Bucket i covers (base^i, base^(i+1)] with base = 2^(2^-scale). */
  readonly scale: number
  readonly zeroCount: number
  /** 0 when it was not sent. */
  readonly zeroThreshold: number
  readonly positive: ExponentialBuckets
  readonly negative: ExponentialBuckets
  /** Absent: none were sent. */
  readonly exemplars?: readonly OtlpExemplar[]
}

/** Counts of the buckets `offset`, `offset + 1`, ... */
export interface ExponentialBuckets {
  readonly offset: number
  readonly counts: readonly number[]
}

export interface SummaryPoint extends Point {
  readonly count: number
  readonly sum: number
  readonly quantiles: readonly { readonly quantile: number; readonly value: number }[]
}

/** Of a metric with many points. */
export const POINTS_PER_STEP = 128

/** Bit 0 of a point's flags. */
export const NO_RECORDED_VALUE = 1

export interface MetricsRequestLimits {
  /** Inclusive, of points, and of exemplars. */
  readonly pointsMax: number
  /**
   * Inclusive: attributes and nested values, of all levels together, and buckets of exponential histograms. Each can
   * take as little as two bytes.
   */
  readonly attributesMax: number
}
