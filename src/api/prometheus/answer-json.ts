import type { Histogram } from '../../model/histogram.ts'
import { allBuckets, type Bucket } from '../../promql/histogram/buckets.ts'
import { formatValue } from './format-value.ts'
import type { Labels } from '../../model/labels.ts'
import type { QueryResult, QueryValue } from '../../promql/query-engine.ts'

/**
 * Answers of the Prometheus routes as text, on main or on the query worker. Query results are written by hand: a range
 * answer has up to 11,000 points per series, and building an object per point first would cost several times the memory
 * of the text.
 */

/** Annotations of a successful answer. */
export interface Notes {
  readonly warnings?: readonly string[]
  readonly infos?: readonly string[]
}

/** The warning of a truncated list. */
export const TRUNCATED = 'results truncated due to limit'

export interface QueryAnswerOptions {
  /** The most series; `Infinity` for all. */
  readonly limit: number
  /** The JSON of `stats`. */
  readonly stats: string | undefined
  /** Beside those of the result. */
  readonly warnings: readonly string[]
}

/** The answer to a query, piece by piece: a series is never cut in two. */
export function* renderQueryAnswer(
  result: QueryResult,
  { limit, stats, warnings }: QueryAnswerOptions,
): Generator<string> {
  const { value, infos } = result
  const truncated = countOf(value) > limit ? [TRUNCATED] : []
  const notes = { warnings: [...result.warnings, ...warnings, ...truncated], infos }
  yield `${HEAD}{"resultType":"${value.type}","result":`
  yield* renderValue(value, limit)
  yield `${stats === undefined ? '' : `,"stats":${stats}`}}${tailOf(notes)}`
}

/** HOT: once per series of an answer. An object of JSON, its keys in the order of the labels. */
export function renderLabels({ flat }: Labels): string {
  let text = '{'
  for (let i = 0; i < flat.length; i += 2) {
    text += `${i === 0 ? '' : ','}${quoted(flat[i]!)}:${quoted(flat[i + 1]!)}`
  }
  return `${text}}`
}

/** What a string of JSON cannot hold as it is, and halves of characters. */
// eslint-disable-next-line no-control-regex -- these are what has to be escaped
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`
}

export const HEAD = '{"status":"success","data":'

export function tailOf({ warnings = [], infos = [] }: Notes): string {
  const noted = (name: string, texts: readonly string[]): string =>
    texts.length === 0 ? '' : `,"${name}":${JSON.stringify(texts)}`
  return `${noted('warnings', warnings)}${noted('infos', infos)}}`
}

function countOf(value: QueryValue): number {
  switch (value.type) {
    case 'vector':
      return value.samples.length
    case 'matrix':
      return value.series.length
    case 'scalar':
    case 'string':
      return 0 // A limit does not apply.
  }
}

function* renderValue(value: QueryValue, limit: number): Generator<string> {
  switch (value.type) {
    case 'scalar':
      yield renderPoint(value.timeMs, value.value)
      return
    case 'string':
      yield `[${value.timeMs / 1000},${JSON.stringify(value.value)}]`
      return
    case 'vector':
      yield '['
      yield* separated(value.samples.slice(0, limit), ({ labels, timeMs, value: sample, histogram }) => {
        const point =
          histogram === undefined
            ? `"value":${renderPoint(timeMs, sample)}`
            : `"histogram":${renderHistogramPoint(timeMs, histogram)}`
        return `{"metric":${renderLabels(labels)},${point}}`
      })
      yield ']'
      return
    case 'matrix':
      yield '['
      yield* separated(value.series.slice(0, limit), (series) => {
        const { labels, timesMs, values, histogramTimesMs, histograms } = series
        const parts = [`"metric":${renderLabels(labels)}`]
        if (timesMs.length > 0) parts.push(`"values":${renderPoints(timesMs, values)}`)
        if (histogramTimesMs !== undefined && histograms !== undefined && histograms.length > 0) {
          const points = histograms.map((histogram, i) => renderHistogramPoint(histogramTimesMs[i]!, histogram))
          parts.push(`"histograms":[${points.join(',')}]`)
        }
        return `{${parts.join(',')}}`
      })
      yield ']'
  }
}

export function* separated<T>(items: readonly T[], render: (item: T) => string): Generator<string> {
  for (let i = 0; i < items.length; i++) yield i === 0 ? render(items[i]!) : `,${render(items[i]!)}`
}

/** `[1787220000.5,"1"]`. The division gives at most three decimals: times are whole milliseconds below 2^53. */
function renderPoint(timeMs: number, value: number): string {
  return `[${timeMs / 1000},"${formatValue(value)}"]`
}

function renderHistogramPoint(timeMs: number, histogram: Histogram): string {
  return `[${timeMs / 1000},${renderHistogram(histogram)}]`
}

function renderPoints(timesMs: Float64Array, values: Float64Array): string {
  let json = '['
  for (let i = 0; i < timesMs.length; i++) json += `${i === 0 ? '' : ','}${renderPoint(timesMs[i]!, values[i]!)}`
  return `${json}]`
}

/**
 * A native histogram as Prometheus' API writes it: count, sum, and the buckets that have observations, from the lowest
 * up, each with a number for its inclusive bounds. Values are texts, as of all samples.
 */
export function renderHistogram(histogram: Histogram): string {
  const buckets = allBuckets(histogram).filter(({ count }) => count !== 0)
  const shown = buckets.length === 0 ? '' : `,"buckets":[${buckets.map(renderBucket).join(',')}]`
  return `{"count":"${formatValue(histogram.count)}","sum":"${formatValue(histogram.sum)}"${shown}}`
}

function renderBucket({ lower, upper, isLowerIncluded, isUpperIncluded, count }: Bucket): string {
  const boundaries = isLowerIncluded ? (isUpperIncluded ? 3 : 1) : isUpperIncluded ? 0 : 2
  return `[${boundaries},"${formatValue(lower)}","${formatValue(upper)}","${formatValue(count)}"]`
}
