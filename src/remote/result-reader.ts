/** Answers of `/api/v1/query` and `/api/v1/query_range` as query results. */
import { compareLabels, Labels } from '../model/labels.ts'
import { sortInSteps } from '../base/sort-in-steps.ts'
import type { ValueType } from '../promql/ast.ts'
import type { MatrixSeries, QueryValue, VectorSample } from '../promql/query-engine.ts'
import type { AnsweredSeries, AnswerFrame } from './answer-reader.ts'
import { JsonStreamError } from './json-stream.ts'

/** @param type of the expression. VictoriaMetrics answers scalars as vectors with one series. Throws `JsonStreamError`. */
export function valueOf(
  type: ValueType,
  timeMs: number,
  series: readonly AnsweredSeries[],
  frame: AnswerFrame,
): QueryValue {
  switch (type) {
    case 'scalar':
      return { type: 'scalar', timeMs, value: scalarOf(series, frame) }
    case 'string':
      return { type: 'string', timeMs, value: stringOf(frame) }
    case 'vector':
      return { type: 'vector', timeMs, samples: series.map((one) => sampleOf(one, timeMs)) }
    case 'matrix':
      return matrixOf(series)
  }
}

/** Sorted by labels, as the local engine does. */
export function matrixOf(series: readonly AnsweredSeries[]): QueryValue {
  const shown = series.map(({ labels, timesMs, values, histogramTimesMs, histograms }): MatrixSeries => ({
    ...{ labels, timesMs, values },
    ...(histograms.length === 0 ? {} : { histogramTimesMs: Float64Array.from(histogramTimesMs), histograms }),
  }))
  const sorting = sortInSteps(shown, (a, b) => compareLabels(a.labels, b.labels))
  while (sorting.next().done !== true);
  return { type: 'matrix', series: shown }
}

function sampleOf({ labels, values, histograms }: AnsweredSeries, timeMs: number): VectorSample {
  const [histogram] = histograms
  if (values.length + histograms.length !== 1) throw new JsonStreamError('a series of a vector has not one sample')
  return histogram === undefined ? { labels, value: values[0]!, timeMs } : { labels, value: NaN, histogram, timeMs }
}

function scalarOf(series: readonly AnsweredSeries[], { data }: AnswerFrame): number {
  const result = resultOf(data)
  if (Array.isArray(result) && result.length === 2 && typeof result[1] === 'string') return Number(numeral(result[1]))
  if (series.length === 1 && series[0]!.labels.equals(Labels.EMPTY)) return series[0]!.values[0]!
  // VictoriaMetrics omits NaN.
  if (series.length === 0) return NaN
  throw new JsonStreamError('its result is not a scalar')
}

function numeral(text: string): string {
  return text.replace(/^\+?Inf$/, 'Infinity').replace('-Inf', '-Infinity')
}

function stringOf({ data }: AnswerFrame): string {
  const result = resultOf(data)
  if (Array.isArray(result) && typeof result[1] === 'string') return result[1]
  throw new JsonStreamError('its result is not a string')
}

function resultOf(data: unknown): unknown {
  return data instanceof Object || (typeof data === 'object' && data !== null)
    ? (data as { readonly result?: unknown }).result
    : undefined
}

/** The texts of a list of annotations. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : []
}
