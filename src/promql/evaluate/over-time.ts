import { add, total, type Accumulator } from './kahan.ts'
import { mean } from './mean.ts'
import { quantileOf } from './quantile.ts'
import type { WindowKernel } from './window.ts'

/** `*_over_time`: one value from the samples of a window, with equal weights. */

const sums: Accumulator = { sum: 0, correction: 0 }
const squares: Accumulator = { sum: 0, correction: 0 }

const sumOverTime: WindowKernel = (window) => {
  sums.sum = 0
  sums.correction = 0
  for (let i = window.from; i < window.to; i++) add(sums, window.values[i]!)
  window.result = total(sums)
  return true
}

const avgOverTime: WindowKernel = (window) => {
  window.result = mean(window.values, window.from, window.to)
  return true
}

/** The minimum; NaN only when all samples are NaN. */
const minOverTime: WindowKernel = (window) => {
  let least = window.values[window.from]!
  for (let i = window.from + 1; i < window.to; i++) {
    const value = window.values[i]!
    if (value < least || Number.isNaN(least)) least = value
  }
  window.result = least
  return true
}

/** The maximum; NaN only when all samples are NaN. */
const maxOverTime: WindowKernel = (window) => {
  let most = window.values[window.from]!
  for (let i = window.from + 1; i < window.to; i++) {
    const value = window.values[i]!
    if (value > most || Number.isNaN(most)) most = value
  }
  window.result = most
  return true
}

const countOverTime: WindowKernel = (window) => {
  window.result = window.to - window.from
  return true
}

const firstOverTime: WindowKernel = (window) => {
  window.result = window.values[window.from]!
  return true
}

const lastOverTime: WindowKernel = (window) => {
  window.result = window.values[window.to - 1]!
  return true
}

const presentOverTime: WindowKernel = (window) => {
  window.result = 1
  return true
}

/** Population variance, by Welford's method with compensated sums. */
const stdvarOverTime: WindowKernel = (window) => {
  sums.sum = sums.correction = squares.sum = squares.correction = 0
  let count = 0
  for (let i = window.from; i < window.to; i++) {
    const value = window.values[i]!
    count++
    const deviation = value - (sums.sum + sums.correction)
    add(sums, deviation / count)
    add(squares, deviation * (value - (sums.sum + sums.correction)))
  }
  window.result = (squares.sum + squares.correction) / count
  return true
}

const stddevOverTime: WindowKernel = (window) => {
  stdvarOverTime(window)
  window.result = Math.sqrt(window.result)
  return true
}

const quantileOverTime: WindowKernel = (window) => {
  window.result = quantileOf(window.param, window.values.slice(window.from, window.to))
  return true
}

export const OVER_TIME_KERNELS: Readonly<Record<string, WindowKernel>> = {
  sum_over_time: sumOverTime,
  avg_over_time: avgOverTime,
  min_over_time: minOverTime,
  max_over_time: maxOverTime,
  count_over_time: countOverTime,
  first_over_time: firstOverTime,
  last_over_time: lastOverTime,
  present_over_time: presentOverTime,
  stdvar_over_time: stdvarOverTime,
  stddev_over_time: stddevOverTime,
  quantile_over_time: quantileOverTime,
}
