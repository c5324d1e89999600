import { METRIC_NAME, type Labels } from '../../model/labels.ts'
import type { HistogramPoint, SummaryPoint } from '../../wire/otlp/metrics.ts'

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
