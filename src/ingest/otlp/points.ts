import { METRIC_NAME, Labels } from '../../model/labels.ts'
import type {
  HistogramPoint,
  SummaryPoint,
  ExponentialBuckets,
  ExponentialPoint,
  OtlpExemplar,
} from '../../wire/otlp/metrics.ts'
import { NO_BUCKETS, SCHEMA_MAX, SCHEMA_MIN, type BucketCounts, type Histogram } from '../../model/histogram.ts'
import { faultOfCounts, mergedDown } from '../../wire/histogram-field.ts'
import type { Exemplar } from '../../model/exemplar.ts'
import { areExemplarLabels } from '../../wire/exemplar-field.ts'
import { valueText } from '../../model/attribute-text.ts'

/** Points of OTLP: their faults, the series that they become, native histograms and exemplars. */

/**
 * The series of a stream's points, and the order of their values: first one for each bucket bound or quantile, then,
 * for a histogram, the `+Inf` bucket, then count and sum.
 */
export interface StreamShape {
  readonly kind: 'number' | 'histogram' | 'summary'
  /** Bucket bounds or quantiles; none of a number. */
  readonly edges: readonly number[]
  readonly hasSum: boolean
}

export const NUMBER_SHAPE: StreamShape = { kind: 'number', edges: [], hasSum: false }

export function histogramShape(point: HistogramPoint): StreamShape {
  return { kind: 'histogram', edges: point.bounds, hasSum: point.sum !== undefined }
}

export function summaryShape(point: SummaryPoint): StreamShape {
  return { kind: 'summary', edges: point.quantiles.map(({ quantile }) => quantile), hasSum: true }
}

/** Cumulative buckets, as in PromQL; OTLP counts each bucket separately. */
export function histogramValues(point: HistogramPoint): number[] {
  let below = 0
  const buckets = point.bounds.map((_, i) => (below += point.bucketCounts[i] ?? 0))
  return [...buckets, point.count, point.count, ...(point.sum === undefined ? [] : [point.sum])]
}

export function summaryValues(point: SummaryPoint): number[] {
  return [...point.quantiles.map(({ value }) => value), point.count, point.sum]
}

/** The label sets of a stream's series, from the one that they have in common. */
export function seriesOf(common: Labels, { kind, edges, hasSum }: StreamShape): Labels[] {
  if (kind === 'number') return [common]
  const name = common.metricName
  const suffixed = (suffix: string): Labels => common.with(METRIC_NAME, name + suffix)
  const counts = [suffixed('_count'), ...(hasSum ? [suffixed('_sum')] : [])]
  if (kind === 'summary') return [...edges.map((edge) => common.with('quantile', decimalText(edge))), ...counts]
  const bucket = suffixed('_bucket')
  const buckets = [...edges, Infinity].map((edge) => bucket.with('le', decimalText(edge)))
  return [...buckets, ...counts]
}

/**
 * Whether the series of `known` include those of `requested`. An additional sum does no harm: points without one do not
 * write it.
 */
export function isCovered(requested: StreamShape, known: StreamShape): boolean {
  const { edges } = known
  if (requested.edges.length !== edges.length || (requested.hasSum && !known.hasSum)) return false
  for (let i = 0; i < edges.length; i++) if (!Object.is(requested.edges[i], edges[i])) return false
  return true
}

/** The shortest decimal that reads back as this number, never with an exponent, as Go's `FormatFloat(x, 'f', -1, 64)`. */
export function decimalText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const text = String(value)
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (parts === null) return text
  const [, sign = '', first = '', rest = '', exponentText = '0'] = parts
  const exponent = Number(exponentText)
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${first}${rest}`
  return `${sign}${first}${rest}${'0'.repeat(exponent - rest.length)}`
}

/** Why a point cannot become series, as the start of a sentence; `undefined` for a valid point. */

/** There is one more bucket than bounds; without either, a histogram has only count and sum. */
export function faultOfHistogram(point: HistogramPoint, bucketsMax: number): string | undefined {
  const { bounds, bucketCounts, isStale } = point
  const { length } = bucketCounts
  if (length > bucketsMax || bounds.length > bucketsMax) {
    return `got ${Math.max(length, bounds.length)} buckets, want at most otlp.buckets-max, ${bucketsMax}`
  }
  const areBoundsRising = bounds.every((bound, i) => Number.isFinite(bound) && (i === 0 || bound > bounds[i - 1]!))
  if (!areBoundsRising) return 'got bounds that do not rise, or are not finite numbers'
  // A stale marker may omit all values.
  if (isStale || length === bounds.length + 1 || (length === 0 && bounds.length === 0)) return undefined
  return `got ${length} buckets for ${bounds.length} bounds, want one more than bounds`
}

export function faultOfSummary({ quantiles }: SummaryPoint, bucketsMax: number): string | undefined {
  if (quantiles.length > bucketsMax)
    return `got ${quantiles.length} quantiles, want at most otlp.buckets-max, ${bucketsMax}`
  const distinct = new Set(quantiles.map(({ quantile }) => quantile))
  return distinct.size === quantiles.length ? undefined : 'got a quantile twice'
}

/**
 * Converts an exponential histogram to a native one. OTLP numbers buckets by the lower bound (bucket i covers (base^i,
 * base^(i+1)]), Prometheus by the upper one, so indexes are one higher. Scales finer than native histograms allow are
 * merged down, coarser ones are refused. Minimum and maximum are dropped.
 */

/** Prometheus' default for a zero threshold that was not sent. */
const ZERO_THRESHOLD_DEFAULT = 1e-128
/** From this difference on, each side merges into two buckets. */
const MERGING_MAX = 52

/** Returns a text, as the start of a sentence, for a point that cannot be converted. */
export function histogramOfPoint(point: ExponentialPoint, bucketsMax: number): Histogram | string {
  const { scale, count, zeroCount, zeroThreshold } = point
  if (scale < SCHEMA_MIN) return `got scale ${scale}, want ${SCHEMA_MIN} or more`
  const most = Math.max(point.positive.counts.length, point.negative.counts.length)
  if (most > bucketsMax) return `got ${most} buckets, want at most otlp.buckets-max, ${bucketsMax}`
  if (!(zeroThreshold >= 0)) return `got a zero threshold of ${zeroThreshold}, want 0 or more`
  const merging = Math.min(Math.max(0, scale - SCHEMA_MAX), MERGING_MAX)
  const positive = bucketsOf(point.positive)
  const negative = bucketsOf(point.negative)
  if (positive === undefined || negative === undefined) return 'got buckets beyond 32 bits, want smaller offsets'
  // Of what may be below zero OTLP sends no sum: it is unknown then, and not 0.
  const sum = point.sum ?? NaN
  const fault = faultOfCounts({ isFloat: false, count, sum, zeroCount, positive, negative })
  if (fault !== undefined) return fault
  return {
    schema: Math.min(scale, SCHEMA_MAX),
    counterReset: 'unknown',
    count,
    sum,
    zeroThreshold: zeroThreshold === 0 ? ZERO_THRESHOLD_DEFAULT : zeroThreshold,
    zeroCount,
    positive: mergedDown(positive, merging),
    negative: mergedDown(negative, merging),
    customBounds: new Float64Array(0),
  }
}

function bucketsOf({ offset, counts }: ExponentialBuckets): BucketCounts | undefined {
  const indexes: number[] = []
  const kept: number[] = []
  counts.forEach((count, i) => {
    if (count === 0) return
    indexes.push(offset + i + 1)
    kept.push(count)
  })
  if (indexes.length === 0) return NO_BUCKETS
  const last = indexes.at(-1)!
  if ((last | 0) !== last || (indexes[0]! | 0) !== indexes[0]) return undefined
  return { indexes: Int32Array.from(indexes), counts: Float64Array.from(kept) }
}

/** An exemplar as stored: ids first, attributes if all of them fit. Undefined: it has no value or time. */
export function exemplarOfPoint({ attributes, timeMs, value, traceId, spanId }: OtlpExemplar): Exemplar | undefined {
  if (value === undefined || timeMs === 0) return undefined
  const ids = [
    ['trace_id', traceId],
    ['span_id', spanId],
  ] as const
  const more = attributes.map(({ key, value: text }) => [key, valueText(text)] as const)
  const isUsable = more.every(([name, text]) => name !== '' && !name.includes('\0') && !text.includes('\0'))
  const labels = Labels.fromPairs([...(isUsable ? more : []), ...ids])
  return { labels: areExemplarLabels(labels) ? labels : Labels.fromPairs(ids), value, timeMs }
}
