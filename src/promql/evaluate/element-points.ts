import type { Histogram } from '../../model/histogram.ts'
import type { MatrixSeries } from '../query-engine.ts'
import type { HistogramCells } from './grid.ts'

/** Points of one series as an answer has them: native histograms stand apart from floats. */
export function splitPoints(
  timesMs: Float64Array,
  values: Float64Array,
  cells: HistogramCells,
): Omit<MatrixSeries, 'labels'> {
  const histograms: Histogram[] = []
  const histogramTimes: number[] = []
  cells.forEach((histogram, i) => {
    if (histogram === undefined) return
    histograms.push(histogram)
    histogramTimes.push(timesMs[i]!)
  })
  const isFloat = (_: number, i: number): boolean => cells[i] === undefined
  return {
    timesMs: timesMs.filter(isFloat),
    values: values.filter(isFloat),
    ...(histograms.length > 0 ? { histogramTimesMs: Float64Array.from(histogramTimes), histograms } : {}),
  }
}
