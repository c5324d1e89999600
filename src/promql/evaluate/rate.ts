import type { Window, WindowKernel } from './window.ts'

/**
 * Functions of the gain of a series: `rate`, `increase`, `delta` and their two-sample forms. Counters restart at zero,
 * so a decrease counts as growth from zero.
 */

/** An end of the window is extrapolated to when it is at most this many mean sample distances away. */
const EXTRAPOLATION_SLACK = 1.1

/** Gain over the window, extrapolated to its ends; false when there are fewer than two samples. */
function extrapolate(window: Window, isCounter: boolean): boolean {
  const { timesMs, values, from, to, startMs, endMs } = window
  const last = to - 1
  if (last <= from) return false
  const first = values[from]!
  let gain = values[last]! - first
  if (isCounter) {
    let previous = first
    for (let i = from + 1; i <= last; i++) {
      const value = values[i]!
      if (value < previous) gain += previous
      previous = value
    }
  }
  window.result = extrapolated(gain, first, timesMs[from]!, timesMs[last]!, to - from, startMs, endMs, isCounter)
  return true
}

/**
 * HOT. The gain between the first and the last of `samples` samples (at least two), extrapolated to the ends of the
 * window. `first`: the first sample's value.
 */
export function extrapolated(
  gain: number,
  first: number,
  firstMs: number,
  lastMs: number,
  samples: number,
  startMs: number,
  endMs: number,
  isCounter: boolean,
): number {
  return gain * extrapolationFactor(gain, first, firstMs, lastMs, samples, startMs, endMs, isCounter)
}

/** HOT. The factor that extrapolates a gain. */
export function extrapolationFactor(
  gain: number,
  first: number,
  firstMs: number,
  lastMs: number,
  samples: number,
  startMs: number,
  endMs: number,
  isCounter: boolean,
): number {
  const sampledSeconds = (lastMs - firstMs) / 1000
  const meanGapSeconds = sampledSeconds / (samples - 1)
  const slackSeconds = meanGapSeconds * EXTRAPOLATION_SLACK
  let beforeSeconds = (firstMs - startMs) / 1000
  let afterSeconds = (endMs - lastMs) / 1000
  if (beforeSeconds >= slackSeconds) beforeSeconds = meanGapSeconds / 2
  // A counter is never negative: extrapolate back at most to its zero.
  if (isCounter && gain > 0 && first >= 0) {
    beforeSeconds = Math.min(beforeSeconds, sampledSeconds * (first / gain))
  }
  if (afterSeconds >= slackSeconds) afterSeconds = meanGapSeconds / 2
  return (sampledSeconds + beforeSeconds + afterSeconds) / sampledSeconds
}

const delta: WindowKernel = (window) => extrapolate(window, false)
const increase: WindowKernel = (window) => extrapolate(window, true)

const rate: WindowKernel = (window) => {
  if (!extrapolate(window, true)) return false
  window.result /= (window.endMs - window.startMs) / 1000
  return true
}

const idelta: WindowKernel = (window) => {
  const last = window.to - 1
  if (last <= window.from) return false
  window.result = window.values[last]! - window.values[last - 1]!
  return true
}

const irate: WindowKernel = (window) => {
  const last = window.to - 1
  if (last <= window.from) return false
  const { timesMs, values } = window
  const seconds = (timesMs[last]! - timesMs[last - 1]!) / 1000
  if (seconds === 0) return false
  const gain = values[last]! < values[last - 1]! ? values[last]! : values[last]! - values[last - 1]!
  window.result = gain / seconds
  return true
}

export const RATE_KERNELS: Readonly<Record<string, WindowKernel>> = {
  rate,
  increase,
  delta,
  idelta,
  irate,
}
