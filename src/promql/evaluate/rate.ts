import type { Window, WindowKernel } from './window.ts'

/**
 * Functions of the gain of a series: `rate`, `increase`, `delta` and their two-sample forms. Counters restart at zero,
 * so a decrease counts as growth from zero.
 */

/** An end of the window is extrapolated to when it is at most this many mean sample distances away. */
const EXTRAPOLATION_SLACK = 1.1

/**
 * Gain over the window, extrapolated to its ends, over `seconds` (1: not a rate); false when there are fewer than two
 * samples.
 */
function extrapolate(window: Window, isCounter: boolean, seconds: number): boolean {
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
  const firstMs = timesMs[from]!
  const lastMs = timesMs[last]!
  window.result = extrapolated(gain, first, firstMs, lastMs, to - from, startMs, endMs, isCounter, seconds)
  return true
}

/** The divisor of a rate, from a range, rounded as Go's Duration.Seconds does. */
export function rangeSeconds(rangeMs: number): number {
  const wholeSeconds = Math.floor(rangeMs / 1000)
  return wholeSeconds + (rangeMs - wholeSeconds * 1000) / 1000
}

/**
 * HOT. The gain between the first and the last of `samples` samples (at least two), extrapolated to the ends of the
 * window, over `seconds` (1: not a rate). `first`: the first sample's value. The factor is divided, not the gain: a rate
 * at the bound of a bucket is then on the side where Prometheus has it.
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
  seconds: number,
): number {
  return gain * (extrapolationFactor(gain, first, firstMs, lastMs, samples, startMs, endMs, isCounter) / seconds)
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
  // A counter is never negative: extrapolate back at most to its zero.
  const zeroRatio = isCounter && gain > 0 && first >= 0 ? first / gain : Infinity
  return factorOf(firstMs, lastMs, samples, startMs, endMs, zeroRatio)
}

/**
 * The same for at least three samples whose gain does not reach back to zero within the sampled time (`first >= gain`,
 * or no counter): it follows from times alone, because at most 1.1 of two distances are before the first sample.
 */
export function evenFactor(firstMs: number, lastMs: number, samples: number, startMs: number, endMs: number): number {
  return factorOf(firstMs, lastMs, samples, startMs, endMs, Infinity)
}

/** HOT. `zeroRatio`: how many times the sampled time ago a counter was zero. */
function factorOf(
  firstMs: number,
  lastMs: number,
  samples: number,
  startMs: number,
  endMs: number,
  zeroRatio: number,
): number {
  const sampledSeconds = (lastMs - firstMs) / 1000
  const meanGapSeconds = sampledSeconds / (samples - 1)
  const slackSeconds = meanGapSeconds * EXTRAPOLATION_SLACK
  let beforeSeconds = (firstMs - startMs) / 1000
  let afterSeconds = (endMs - lastMs) / 1000
  if (beforeSeconds >= slackSeconds) beforeSeconds = meanGapSeconds / 2
  if (zeroRatio !== Infinity) beforeSeconds = Math.min(beforeSeconds, sampledSeconds * zeroRatio)
  if (afterSeconds >= slackSeconds) afterSeconds = meanGapSeconds / 2
  return (sampledSeconds + beforeSeconds + afterSeconds) / sampledSeconds
}

const delta: WindowKernel = (window) => extrapolate(window, false, 1)
const increase: WindowKernel = (window) => extrapolate(window, true, 1)
const rate: WindowKernel = (window) => extrapolate(window, true, rangeSeconds(window.endMs - window.startMs))

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
