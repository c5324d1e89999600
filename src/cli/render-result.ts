/** Query results as text in promtool's format: `up{job="a"} => 1 @[1787220000.5]`. */
import { formatGoFloat } from '../base/go-float.ts'

export type Metric = Readonly<Record<string, string>>
type Point = readonly [seconds: number, value: string]
type HistogramPoint = readonly [seconds: number, histogram: SampleHistogram]

/** As in the HTTP API: values are strings, `boundaries` states which bounds of a bucket are inclusive. */
interface SampleHistogram {
  readonly count: string
  readonly sum: string
  readonly buckets?: readonly (readonly [boundaries: number, lower: string, upper: string, count: string])[]
}

export type QueryData =
  | { readonly resultType: 'scalar' | 'string'; readonly result: Point }
  | {
      readonly resultType: 'vector'
      readonly result: readonly {
        readonly metric: Metric
        readonly value?: Point
        readonly histogram?: HistogramPoint
      }[]
    }
  | {
      readonly resultType: 'matrix'
      readonly result: readonly {
        readonly metric: Metric
        readonly values?: readonly Point[]
        readonly histograms?: readonly HistogramPoint[]
      }[]
    }

export function renderResult(data: QueryData): string {
  switch (data.resultType) {
    case 'scalar':
      return `scalar: ${renderPoint(data.result)}`
    case 'string':
      return data.result[1]
    case 'vector':
      return data.result
        .map(({ metric, value, histogram }) => {
          const point = value === undefined ? renderHistogramPoint(histogram!) : renderPoint(value)
          return `${renderMetric(metric)} => ${point}`
        })
        .join('\n')
    case 'matrix':
      return data.result
        .map(({ metric, values = [], histograms = [] }) => {
          const points = [...values.map(renderPoint), ...histograms.map(renderHistogramPoint)]
          return `${renderMetric(metric)} =>\n${points.join('\n')}`
        })
        .join('\n')
  }
}

/** `up{job="a"}`; without a name or labels `{}`. */
export function renderMetric(metric: Metric): string {
  const { __name__: name = '', ...labels } = metric
  const pairs = renderPairs(labels)
  return name !== '' && pairs === '' ? name : `${name}{${pairs}}`
}

/** All labels including the name, as promtool prints series. */
export function renderLabelSet(metric: Metric): string {
  return `{${renderPairs(metric)}}`
}

function renderPairs(labels: Metric): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')
}

function renderPoint([seconds, value]: Point): string {
  return `${plain(value)} @[${formatGoFloat(seconds, 'f')}]`
}

function renderHistogramPoint([seconds, { count, sum, buckets = [] }]: HistogramPoint): string {
  const shown = buckets.map(([boundaries, lower, upper, bucketCount]) => {
    const [opens, closes] = [
      boundaries === 1 || boundaries === 3 ? '[' : '(',
      boundaries === 0 || boundaries === 3 ? ']' : ')',
    ]
    return `${opens}${lower},${upper}${closes}:${plain(bucketCount)}`
  })
  return `Count: ${fixed(count)}, Sum: ${fixed(sum)}, Buckets: [${shown.join(' ')}] @[${formatGoFloat(seconds, 'f')}]`
}

/** The API writes very large and very small values with an exponent, promtool never does. */
function plain(value: string): string {
  return formatGoFloat(numberOf(value), 'f')
}

function fixed(value: string): string {
  const number = numberOf(value)
  return Number.isFinite(number) ? number.toFixed(6) : formatGoFloat(number, 'f')
}

function numberOf(value: string): number {
  return value === '+Inf' ? Infinity : value === '-Inf' ? -Infinity : Number(value)
}
