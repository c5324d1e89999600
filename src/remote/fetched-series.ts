/** Series of the store in columns, in the order in which they arrive: the result of a fetch. */
import { FleetError } from '../base/errors.ts'
import type { Histogram } from '../model/histogram.ts'
import type { Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { SeriesColumns } from '../model/series.ts'
import type { RemoteRequest } from './client.ts'

/** What is fetched: all samples of the selected series, stale markers included, both ends of the range inclusive. */
export interface FetchRequest extends Pick<RemoteRequest, 'lane' | 'timeoutMs' | 'signal'> {
  readonly matchers: readonly Matcher[]
  readonly fromMs: number
  readonly toMs: number
  readonly seriesMax: number
  readonly samplesMax: number
  /** Some of the series are native histograms. */
  readonly hasHistograms: boolean
}

/** A series with floats and histograms at different times, in order. */
export function columnsOfSeries(
  labels: Labels,
  floats: { readonly timesMs: Float64Array; readonly values: Float64Array },
  histogramTimesMs: readonly number[] = [],
  histograms: readonly Histogram[] = [],
): SeriesColumns {
  const { timesMs, values } = floats
  if (histograms.length === 0) return { ref: 0, labels, count: timesMs.length, timesMs, values }
  const count = timesMs.length + histograms.length
  const all = { timesMs: new Float64Array(count), values: new Float64Array(count) }
  const cells: (Histogram | undefined)[] = []
  let [float, histogram] = [0, 0]
  for (let i = 0; i < count; i++) {
    const isFloat = histogram === histograms.length || (timesMs[float] ?? Infinity) <= histogramTimesMs[histogram]!
    all.timesMs[i] = isFloat ? timesMs[float]! : histogramTimesMs[histogram]!
    // Copied as a sub-array: the bits of a stale marker stay as they are.
    if (isFloat) all.values.set(values.subarray(float, float + 1), i)
    cells.push(isFloat ? undefined : histograms[histogram])
    if (isFloat) float++
    else histogram++
  }
  return { ref: 0, labels, count, ...all, histograms: cells }
}

export function tooManySeries(seriesMax: number): FleetError {
  return new FleetError('query_limit', `the query selects more than ${seriesMax} series of the metrics store`, {
    hint: 'select fewer series',
  })
}
