import { add, type Accumulator } from './kahan.ts'
import type { Window, WindowKernel } from './window.ts'

/** `deriv` and `predict_linear`: linear regression (least squares) of the samples of a window. */

const x: Accumulator = { sum: 0, correction: 0 }
const y: Accumulator = { sum: 0, correction: 0 }
const xy: Accumulator = { sum: 0, correction: 0 }
const xx: Accumulator = { sum: 0, correction: 0 }
const line = { slope: 0, intercept: 0 }

/** Fits `line`, per second, with its intercept at `originMs`. */
function fit({ timesMs, values, from, to }: Window, originMs: number): void {
  for (const sum of [x, y, xy, xx]) sum.sum = sum.correction = 0
  const first = values[from]!
  let isConstant = true
  for (let i = from; i < to; i++) {
    const value = values[i]!
    if (value !== first) isConstant = false
    const seconds = (timesMs[i]! - originMs) / 1000
    add(x, seconds)
    add(y, value)
    add(xy, seconds * value)
    add(xx, seconds * seconds)
  }
  // Exact for a constant: the general formula would leave a rounding error.
  if (isConstant) {
    line.slope = Number.isFinite(first) ? 0 : NaN
    line.intercept = Number.isFinite(first) ? first : NaN
    return
  }
  const count = to - from
  const sumX = x.sum + x.correction
  const sumY = y.sum + y.correction
  const covariance = xy.sum + xy.correction - (sumX * sumY) / count
  const variance = xx.sum + xx.correction - (sumX * sumX) / count
  line.slope = covariance / variance
  line.intercept = sumY / count - (line.slope * sumX) / count
}

const deriv: WindowKernel = (window) => {
  if (window.to - window.from < 2) return false
  fit(window, window.timesMs[window.from]!)
  window.result = line.slope
  return true
}

const predictLinear: WindowKernel = (window) => {
  if (window.to - window.from < 2) return false
  fit(window, window.stepMs)
  window.result = line.slope * window.param + line.intercept
  return true
}

export const REGRESSION_KERNELS: Readonly<Record<string, WindowKernel>> = {
  deriv,
  predict_linear: predictLinear,
}
