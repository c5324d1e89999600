import type { Place } from '../annotations.ts'
import type { RangeSeries } from './range-series.ts'
import { stepTimeMs, type Steps } from './steps.ts'
import type { CellWriter } from './histogram-cells.ts'
import { ELEMENT_FUNCTIONS, TIME_FUNCTIONS, type WindowRemarks } from './histogram-windows.ts'
import type { RangeFunction } from './range-runs.ts'
import type { Window } from './window.ts'

/** The windows of one series with native histograms. Results go to the cells from `cell` on. */
export function slideOverElements(
  { name, kernel, params }: RangeFunction,
  series: RangeSeries,
  endsMs: Float64Array,
  rangeMs: number,
  steps: Steps,
  remarks: WindowRemarks & { readonly ignoredPlace: Place },
  cell: number,
  cells: CellWriter,
): void {
  const { timesMs, count } = series
  let from = 0
  let to = 0
  for (let s = 0; s < endsMs.length; s++) {
    const endMs = endsMs[s]!
    const startMs = endMs - rangeMs
    while (from < count && timesMs[from]! <= startMs) from++
    while (to < count && timesMs[to]! <= endMs) to++
    if (to <= from) continue
    const ofElements = ELEMENT_FUNCTIONS[name]
    if (ofElements !== undefined && hasHistogram(series, from, to)) {
      const times = Array.from(timesMs.subarray(from, to))
      const elements = times.map((_, i) => series.histograms?.[from + i] ?? series.values[from + i]!)
      cells.write(cell + s, ofElements({ timesMs: times, elements, startMs, endMs }, remarks))
      continue
    }
    const floats = TIME_FUNCTIONS.has(name) ? { ...series, from, to } : floatsIn(series, from, to)
    if (floats.to === floats.from) continue
    if (floats.to - floats.from < to - from) {
      remarks.annotations.inform('ignoredInMixedRange', remarks.ignoredPlace, remarks.metricName)
    }
    const window: Window = {
      timesMs: floats.timesMs,
      values: floats.values,
      from: floats.from,
      to: floats.to,
      startMs,
      endMs,
      stepMs: stepTimeMs(steps, s),
      step: s,
      param: params === undefined ? 0 : params[s]!,
      result: 0,
    }
    if (kernel(window)) cells.write(cell + s, window.result)
  }
}

function hasHistogram({ histograms }: RangeSeries, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (histograms?.[i] !== undefined) return true
  return false
}

/** The floats of a window, adjacent. */
function floatsIn(
  { timesMs, values, histograms }: RangeSeries,
  from: number,
  to: number,
): { timesMs: Float64Array; values: Float64Array; from: number; to: number } {
  const isFloat = (_: number, i: number): boolean => histograms?.[from + i] === undefined
  const times = timesMs.subarray(from, to).filter(isFloat)
  return { timesMs: times, values: values.subarray(from, to).filter(isFloat), from: 0, to: times.length }
}
