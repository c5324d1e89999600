import { add, total, type Accumulator } from './kahan.ts'
import { mean } from './mean.ts'
import { quantileOf } from './quantile.ts'
import type { ValueWindow, WindowKernel } from './window.ts'

/** `*_over_time`, `resets` and `changes`: one value from the samples of a window, with equal weights. */

/** HOT: once per series and step. */
type ValueKernel = (window: ValueWindow) => boolean

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

/** The minimum (`sign` 1) or the maximum (-1); NaN only when all samples are NaN. */
const extreme =
  (sign: 1 | -1): ValueKernel =>
  (window) => {
    const { values, from, to } = window
    let best = values[from]!
    for (let i = from + 1; i < to; i++) {
      const value = values[i]!
      if (value * sign < best * sign || Number.isNaN(best)) best = value
    }
    window.result = best
    return true
  }

/** The number of decreases. */
const resets: ValueKernel = (window) => {
  const { values, from, to } = window
  let count = 0
  for (let i = from + 1; i < to; i++) if (values[i]! < values[i - 1]!) count++
  window.result = count
  return true
}

/** The number of changes. */
const changes: ValueKernel = (window) => {
  const { values, from, to } = window
  let count = 0
  for (let i = from + 1; i < to; i++) {
    // `isChange` written out, which is faster here.
    const value = values[i]!
    const previous = values[i - 1]!
    if (value !== previous && !(Number.isNaN(value) && Number.isNaN(previous))) count++
  }
  window.result = count
  return true
}

/** HOT. NaN after NaN is no change. */
export function isChange(before: number, now: number): boolean {
  return now !== before && !(Number.isNaN(now) && Number.isNaN(before))
}

const countOverTime: WindowKernel = (window) => {
  window.result = window.to - window.from
  return true
}

const firstOverTime: ValueKernel = (window) => {
  window.result = window.values[window.from]!
  return true
}

const lastOverTime: ValueKernel = (window) => {
  window.result = window.values[window.to - 1]!
  return true
}

const presentOverTime: ValueKernel = (window) => {
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

/** Kernels whose results repeated values do not change: the same over samples and over runs. */
export const VALUE_KERNELS: Readonly<Record<string, ValueKernel>> = {
  resets,
  changes,
  min_over_time: extreme(1),
  max_over_time: extreme(-1),
  first_over_time: firstOverTime,
  last_over_time: lastOverTime,
  present_over_time: presentOverTime,
}

export const OVER_TIME_KERNELS: Readonly<Record<string, WindowKernel>> = {
  ...VALUE_KERNELS,
  sum_over_time: sumOverTime,
  avg_over_time: avgOverTime,
  count_over_time: countOverTime,
  stdvar_over_time: stdvarOverTime,
  stddev_over_time: stddevOverTime,
  quantile_over_time: quantileOverTime,
}
