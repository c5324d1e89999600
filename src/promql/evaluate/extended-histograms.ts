import type { Histogram } from '../../model/histogram.ts'
import type { Extension } from '../ast.ts'
import { isReset } from '../histogram/reset.ts'
import { divideHistogram, multiplyHistogram } from '../histogram/scale.ts'
import { extendedKernel, interpolate, type ExtendedWindow } from './extended-window.ts'
import type { Element } from './histogram-cells.ts'
import {
  areOneKind,
  combined,
  ELEMENT_FUNCTIONS,
  isGauge,
  onlyHistograms,
  withLosses,
  type Elements,
  type ElementWindow,
  type WindowRemarks,
} from './histogram-windows.ts'
import { rangeSeconds } from './rate.ts'

/** `anchored` and `smoothed` for samples with native histograms; the definitions are Prometheus'. */

/** One of the functions of extended windows. `undefined`: no value. */
export function extendedElement(
  func: string,
  extension: Extension,
  window: ElementWindow,
  remarks: WindowRemarks,
): Element | undefined {
  if (func === 'changes' || func === 'resets') return countedFromAnchor(func, window, remarks)
  const { elements, startMs, endMs } = window
  if (elements.every((element) => typeof element === 'number')) return extendedFloat(func, extension, window)
  const histograms = onlyHistograms(elements, remarks)
  if (histograms === undefined) return undefined
  const gained = extendedGain(histograms, window, extension === 'smoothed', func !== 'delta', remarks)
  if (gained === undefined) return undefined
  const result = func === 'rate' ? divideHistogram(gained, rangeSeconds(endMs - startMs)) : gained
  return { ...result, counterReset: 'gauge' }
}

function extendedFloat(
  func: string,
  extension: Extension,
  { timesMs, elements, startMs, endMs }: ElementWindow,
): number | undefined {
  const window: ExtendedWindow = {
    timesMs: Float64Array.from(timesMs),
    values: Float64Array.from(elements, Number),
    count: elements.length,
    from: 0,
    to: elements.length,
    startMs,
    endMs,
    result: 0,
  }
  return extendedKernel(func, extension)(window) ? window.result : undefined
}

/** `changes` and `resets` start with the last sample before the window, if the window has samples. */
function countedFromAnchor(
  func: 'changes' | 'resets',
  window: ElementWindow,
  remarks: WindowRemarks,
): Element | undefined {
  const { timesMs, elements, startMs } = window
  const inside = timesMs.findIndex((timeMs) => timeMs > startMs)
  if (inside === -1) return undefined
  const first = Math.max(0, inside - 1)
  return ELEMENT_FUNCTIONS[func]!(
    { ...window, timesMs: timesMs.slice(first), elements: elements.slice(first) },
    remarks,
  )
}

/** The gain of histograms between the two ends of a window. */
function extendedGain(
  histograms: readonly Histogram[],
  { timesMs, startMs, endMs }: ElementWindow,
  isSmoothed: boolean,
  isCounter: boolean,
  remarks: WindowRemarks,
): Histogram | undefined {
  const { annotations, metricName, place } = remarks
  // The samples at the two ends.
  const newest = timesMs.length - 1
  const inside = timesMs.slice(0, newest).findIndex((timeMs) => timeMs > startMs)
  const first = Math.max(0, (inside === -1 ? newest : inside) - 1)
  const beyond = timesMs.slice(0, newest).findIndex((timeMs) => timeMs >= endMs)
  const last = isSmoothed && beyond !== -1 ? beyond : newest
  if (timesMs[last]! <= startMs || (isSmoothed && timesMs[first]! > endMs)) return undefined
  const range = histograms.slice(first, last + 1)
  if (!areOneKind(range, remarks)) return undefined
  if (isCounter && range.some(isGauge)) annotations.warn('histogramNotCounter', place, metricName)
  const between = (before: number, atMs: number): Histogram | undefined => {
    const share = shareOf(atMs, timesMs[before]!, timesMs[before + 1]!)
    return interpolated(histograms[before]!, histograms[before + 1]!, share, isCounter, remarks)
  }
  const isLeftInterpolated = isSmoothed && timesMs[first]! < startMs
  const left = isLeftInterpolated ? between(first, startMs) : histograms[first]
  const right = isSmoothed && last > 0 && timesMs[last]! > endMs ? between(last - 1, endMs) : histograms[last]
  if (left === undefined || right === undefined) return undefined
  if (!isCounter && !(isGauge(left) && isGauge(right))) annotations.warn('histogramNotGauge', place, metricName)
  const gained = combined(right, left, -1, remarks)
  if (gained === undefined || !isCounter) return gained
  // The interpolation to the left end already includes a reset of the second sample.
  const second = histograms[first + 1]
  const isIncluded = isLeftInterpolated && second !== undefined && isReset(second, histograms[first]!)
  const next = first + (isIncluded ? 2 : 1)
  if (next > last) return gained
  return withLosses(gained, isIncluded ? second : left, [...histograms.slice(next, last), right], remarks)
}

/** `selector smoothed` at one time, from the samples within the lookback before and after it. */
export function smoothedElement(
  { timesMs, elements }: Elements,
  atMs: number,
  remarks: WindowRemarks,
): Element | undefined {
  const floats = elements.filter((element) => typeof element === 'number').length
  if (floats > 0 && floats < elements.length) {
    remarks.annotations.warn('mixedSamples', remarks.place, remarks.metricName)
    return undefined
  }
  const next = timesMs.findIndex((timeMs) => timeMs >= atMs)
  if (next !== -1 && timesMs[next] === atMs) return elements[next]
  const before = elements[(next === -1 ? elements.length : next) - 1]
  if (before === undefined) return undefined
  if (next === -1) return typeof before === 'number' ? before : { ...before, counterReset: 'unknown' }
  const after = elements[next]!
  if (typeof before === 'number' || typeof after === 'number') {
    const times = Float64Array.of(timesMs[next - 1]!, timesMs[next]!)
    return interpolate(times, Float64Array.of(Number(before), Number(after)), 0, atMs, false)
  }
  if (!areOneKind([before, after], remarks)) return undefined
  const isCounter = !isGauge(before) || !isGauge(after)
  return interpolated(before, after, shareOf(atMs, timesMs[next - 1]!, timesMs[next]!), isCounter, remarks)
}

function shareOf(atMs: number, fromMs: number, toMs: number): number {
  return (atMs - fromMs) / (toMs - fromMs)
}

/** Interpolates between two histograms. A counter reset starts from an empty histogram. */
function interpolated(
  from: Histogram,
  to: Histogram,
  share: number,
  isCounter: boolean,
  remarks: WindowRemarks,
): Histogram | undefined {
  if (share === 0) return from
  if (share === 1) return to
  if (isCounter && isReset(to, from)) return multiplyHistogram(to, share)
  const difference = combined(to, from, -1, remarks)
  return difference === undefined ? undefined : combined(multiplyHistogram(difference, share), from, 1, remarks)
}
