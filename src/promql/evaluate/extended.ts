import { FleetError } from '../../base/errors.ts'
import { LabelList } from '../../model/label-rows.ts'
import type { Extension, MatrixSelector, VectorSelector } from '../ast.ts'
import type { MatrixSeries } from '../query-engine.ts'
import type { Evaluation } from './evaluation.ts'
import type { Steps } from './steps.ts'
import { extendedEnds, extendedKernel, interpolate, samplesAround, type ExtendedWindow } from './extended-window.ts'
import { extendedElement, smoothedElement } from './extended-histograms.ts'
import type { Elements } from './histogram-windows.ts'
import type { Grid } from './grid.ts'
import { CellWriter } from './histogram-cells.ts'
import { withoutStaleMarkers } from './range-vector.ts'
import type { RangeSeries, Lens } from './range-series.ts'
import { hasOneName, lensOf, selectorTimeMs, selectRuns, selectSeries } from './select.ts'
import { pieceMask, type Pieces } from './pieces.ts'

/**
 * Extended range selectors: windows and instants that also use the adjacent samples within the lookback. They are read
 * as samples, because neither runs nor rollups have the samples outside a window.
 */

/** Samples of the windows of all steps and around them. */
function selectExtended(
  selector: VectorSelector,
  extension: Extension,
  rangeMs: number,
  steps: Steps,
  evaluation: Evaluation,
): { readonly series: RangeSeries[]; readonly lens: Lens; readonly aheadMs: number } {
  const { lookbackMs } = evaluation
  const lens = lensOf(selector, evaluation)
  const aheadMs = extension === 'smoothed' ? lookbackMs : 0
  const ahead = { ...lens, offsetMs: lens.offsetMs - aheadMs }
  const windowMs = rangeMs + lookbackMs + aheadMs
  const series = selectSeries(selector, ahead, steps, windowMs, { rangeMs }, evaluation)
  // Warns when only some of the samples are stored.
  selectRuns(selector, ahead, steps, windowMs, evaluation)
  evaluation.explainer?.leave(selector.matchers, `${extension} reads samples outside of the windows`)
  return { series: series.map(withoutStaleMarkers), lens, aheadMs }
}

/** `rate`, `increase`, `delta`, `changes` or `resets` over extended windows. */
export function* gridOverExtended(
  func: string,
  place: MatrixSelector,
  steps: Steps,
  evaluation: Evaluation,
): Pieces<Grid> {
  const { selector, rangeMs } = place
  const extension = selector.extension!
  const { series, lens, aheadMs } = selectExtended(selector, extension, rangeMs, steps, evaluation)
  const kernel = extendedKernel(func, extension)
  evaluation.budget.takeCells(series.length, steps.count)
  const cells = new CellWriter(series.length * steps.count)
  const { values, present } = cells
  for (const [row, one] of series.entries()) {
    if (one.histograms !== undefined) {
      const remarks = { annotations: evaluation.annotations, metricName: one.labels.metricName, place }
      for (let s = 0; s < steps.count; s++) {
        const endMs = selectorTimeMs(lens, steps, s)
        const startMs = endMs - rangeMs
        const around = elementsAround(one, startMs - evaluation.lookbackMs, endMs + aheadMs)
        if (around === undefined) continue
        const element = extendedElement(func, extension, { ...around, startMs, endMs }, remarks)
        cells.write(row * steps.count + s, element)
      }
      yield
      continue
    }
    const window: ExtendedWindow = { ...one, from: 0, to: 0, startMs: 0, endMs: 0, result: 0 }
    for (let s = 0; s < steps.count; s++) {
      window.endMs = selectorTimeMs(lens, steps, s)
      window.startMs = window.endMs - rangeMs
      samplesAround(window, evaluation.lookbackMs, aheadMs)
      if (window.from === window.to || !kernel(window)) continue
      values[row * steps.count + s] = window.result
      present[row * steps.count + s] = 1
    }
    yield
  }
  const labels = new LabelList(series.map((one) => one.labels))
  return { steps: steps.count, labels, isNameless: false, isOneName: hasOneName(selector), ...cells.columns() }
}

/** The samples of `(afterMs, untilMs]`, if there are any. */
function elementsAround(
  { timesMs, values, histograms, count }: RangeSeries,
  afterMs: number,
  untilMs: number,
): Elements | undefined {
  let from = 0
  while (from < count && timesMs[from]! <= afterMs) from++
  let to = from
  while (to < count && timesMs[to]! <= untilMs) to++
  if (from === to) return undefined
  const times = Array.from(timesMs.subarray(from, to))
  return { timesMs: times, elements: times.map((_, i) => histograms?.[from + i] ?? values[from + i]!) }
}

/**
 * `selector smoothed`: interpolates between the samples before and after; the last sample before, where none is after.
 */
export function* smoothedGrid(selector: VectorSelector, steps: Steps, evaluation: Evaluation): Pieces<Grid> {
  const { lookbackMs } = evaluation
  const { series, lens } = selectExtended(selector, 'smoothed', 0, steps, evaluation)
  evaluation.budget.takeCells(series.length, steps.count)
  const cells = new CellWriter(series.length * steps.count)
  const { values, present } = cells
  const mask = pieceMask(steps.count)
  for (const [row, one] of series.entries()) {
    const { timesMs, values: samples, count } = one
    if ((row & mask) === mask) yield
    if (one.histograms !== undefined) {
      const remarks = { annotations: evaluation.annotations, metricName: one.labels.metricName, place: selector }
      for (let s = 0; s < steps.count; s++) {
        const atMs = selectorTimeMs(lens, steps, s)
        const around = elementsAround(one, atMs - lookbackMs, atMs + lookbackMs)
        if (around !== undefined) cells.write(row * steps.count + s, smoothedElement(around, atMs, remarks))
      }
      continue
    }
    let next = 0
    for (let s = 0; s < steps.count; s++) {
      const atMs = selectorTimeMs(lens, steps, s)
      while (next < count && timesMs[next]! < atMs) next++
      const isAfter = next < count && timesMs[next]! <= atMs + lookbackMs
      const isBefore = next > 0 && timesMs[next - 1]! > atMs - lookbackMs
      const cell = row * steps.count + s
      if (isAfter && timesMs[next] === atMs) values[cell] = samples[next]!
      else if (!isBefore) continue
      else if (isAfter) values[cell] = interpolate(timesMs, samples, next - 1, atMs, false)
      else values[cell] = samples[next - 1]!
      present[cell] = 1
    }
  }
  const labels = new LabelList(series.map((one) => one.labels))
  return { steps: steps.count, labels, isNameless: false, isOneName: hasOneName(selector), ...cells.columns() }
}

/** The samples of an extended range selector: those inside, and one at each end. */
export function extendedMatrix(
  { selector, rangeMs }: MatrixSelector,
  steps: Steps,
  evaluation: Evaluation,
): MatrixSeries[] {
  const extension = selector.extension!
  const { series, lens, aheadMs } = selectExtended(selector, extension, rangeMs, steps, evaluation)
  const endMs = selectorTimeMs(lens, steps, 0)
  return series.map((one): MatrixSeries => {
    if (one.histograms !== undefined) {
      throw new FleetError(
        'query_execution',
        `${extension} samples of native histograms cannot be shown without a function`,
      )
    }
    const window: ExtendedWindow = { ...one, from: 0, to: 0, startMs: endMs - rangeMs, endMs, result: 0 }
    samplesAround(window, evaluation.lookbackMs, aheadMs)
    return { labels: one.labels, ...withEnds(window, extension) }
  })
}

function withEnds(window: ExtendedWindow, extension: Extension): { timesMs: Float64Array; values: Float64Array } {
  const ends = extendedEnds(window, extension, false)
  if (ends === undefined) return { timesMs: new Float64Array(0), values: new Float64Array(0) }
  const { timesMs, values, startMs, endMs } = window
  let [first, last] = [ends.first, ends.last]
  if (timesMs[first]! <= startMs) first++
  if (timesMs[last]! >= endMs) last--
  const within = [first, Math.max(first, last + 1)] as const
  return {
    timesMs: Float64Array.of(startMs, ...timesMs.subarray(...within), endMs),
    values: Float64Array.of(ends.left, ...values.subarray(...within), ends.right),
  }
}
