import { FleetError } from '../../base/errors.ts'
import { quantileOf } from './quantile.ts'
import type { Window, WindowKernel } from './window.ts'

/** Window functions that are experimental in Prometheus. */

/** The median of the distances to the median; NaN if a sample is NaN. */
const madOverTime: WindowKernel = (window) => {
  const samples = window.values.slice(window.from, window.to)
  if (samples.some(Number.isNaN)) {
    window.result = NaN
    return true
  }
  const median = quantileOf(0.5, samples)
  window.result = quantileOf(
    0.5,
    samples.map((value) => Math.abs(value - median)),
  )
  return true
}

/**
 * Holt's linear trend: the last smoothed value. The scalar argument of a window is the smoothing factor, `trendings`
 * are the trend factors by step; all between 0 and 1.
 */
export function doubleExponentialSmoothing(trendings: Float64Array): WindowKernel {
  return (window) => {
    const { values, from, to, param: smoothing } = window
    const trending = trendings[window.step]!
    if (smoothing <= 0 || smoothing >= 1) refuseFactor('smoothing factor', 'sf', smoothing)
    if (trending <= 0 || trending >= 1) refuseFactor('trend factor', 'tf', trending)
    if (to - from < 2) return false
    let before = 0
    let level = values[from]!
    let trend = values[from + 1]! - level
    for (let i = from + 1; i < to; i++) {
      if (i > from + 1) trend = trending * (level - before) + (1 - trending) * trend
      const next = smoothing * values[i]! + (1 - smoothing) * (level + trend)
      before = level
      level = next
    }
    window.result = level
    return true
  }
}

function refuseFactor(what: string, name: string, got: number): never {
  throw new FleetError('query_execution', `invalid ${what}. Expected: 0 < ${name} < 1, got: ${got.toFixed(6)}`)
}

const tsOfFirst: WindowKernel = (window) => timeOf(window, window.from)
const tsOfLast: WindowKernel = (window) => timeOf(window, window.to - 1)

/** The time of the last sample with the minimum (`sign` 1) or maximum (-1) value. */
const tsOfExtreme =
  (sign: 1 | -1): WindowKernel =>
  (window) => {
    const { values, from, to } = window
    let best = from
    for (let i = from + 1; i < to; i++) {
      if (values[i]! * sign <= values[best]! * sign || Number.isNaN(values[best]!)) best = i
    }
    return timeOf(window, best)
  }

function timeOf(window: Window, sample: number): true {
  window.result = window.timesMs[sample]! / 1000
  return true
}

export const EXPERIMENTAL_KERNELS: Readonly<Record<string, WindowKernel>> = {
  mad_over_time: madOverTime,
  ts_of_first_over_time: tsOfFirst,
  ts_of_last_over_time: tsOfLast,
  ts_of_max_over_time: tsOfExtreme(-1),
  ts_of_min_over_time: tsOfExtreme(1),
}
