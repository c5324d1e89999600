import { add, total, type Accumulator } from './kahan.ts'
import { mean } from './mean.ts'
import { VALUE_KERNELS } from './over-time.ts'
import { extrapolated, rangeSeconds } from './rate.ts'
import type { ValueWindow } from './window.ts'

/**
 * Range functions over runs: exactly the results of the functions over samples (`rate.ts`, `over-time.ts`), without
 * reading each sample. A constant series is one run, whose windows are computed from their two ends.
 */

/**
 * One window of one series: the runs `[from, to)`, without the `skipped` samples of the first run before the window
 * and with `taken` samples of the last, counted from that run's first sample. One object per evaluation, reused for all
 * windows.
 */
export interface RunWindow extends ValueWindow {
  counts: Int32Array
  skipped: number
  taken: number
  /** Samples in the window; at least one. */
  samples: number
  firstMs: number
  lastMs: number
  startMs: number
  endMs: number
  /** Some value in the series is less than the one before. */
  mayFall: boolean
}

/** HOT: once per series and step. False: no value at this step. */
export type RunKernel = (window: RunWindow) => boolean

/** The number of samples of a run in the window. */
function samplesOf({ counts, from, to, skipped, taken }: RunWindow, run: number): number {
  return (run + 1 === to ? taken : counts[run]!) - (run === from ? skipped : 0)
}

function extrapolate(window: RunWindow, isCounter: boolean, seconds = 1): boolean {
  if (window.samples < 2) return false
  const { values, from, to } = window
  let gain = values[to - 1]! - values[from]!
  if (isCounter && window.mayFall) {
    for (let run = from + 1; run < to; run++) if (values[run]! < values[run - 1]!) gain += values[run - 1]!
  }
  const { firstMs, lastMs, samples, startMs, endMs } = window
  window.result = extrapolated(gain, values[from]!, firstMs, lastMs, samples, startMs, endMs, isCounter, seconds)
  return true
}

const sums: Accumulator = { sum: 0, correction: 0 }
const EXACT_MAX = 2 ** 53
/** Values with at most this many binary places are added as integers. */
const PLACES = 2 ** 20

/**
 * Like `count` calls of `add`. One multiplication when every intermediate sum is exact, because then there is no
 * correction.
 */
function addRepeated(to: Accumulator, value: number, count: number): void {
  if (count === 1) {
    add(to, value)
    return
  }
  const scaledSum = to.sum * PLACES
  const scaled = value * PLACES
  const isExact = Number.isInteger(scaled) && Number.isInteger(scaledSum)
  if (isExact && Math.abs(scaledSum) + Math.abs(scaled) * count <= EXACT_MAX) to.sum += value * count
  else for (let i = 0; i < count; i++) add(to, value)
}

const sumOverTime: RunKernel = (window) => {
  sums.sum = sums.correction = 0
  for (let run = window.from; run < window.to; run++) {
    addRepeated(sums, window.values[run]!, samplesOf(window, run))
  }
  window.result = total(sums)
  return true
}

/** Like `mean`, which handles a sum that overflows. */
const avgOverTime: RunKernel = (window) => {
  const { values, from, to, samples } = window
  sums.sum = values[from]!
  sums.correction = 0
  for (let run = from; run < to; run++) {
    addRepeated(sums, values[run]!, samplesOf(window, run) - (run === from ? 1 : 0))
  }
  if (Number.isFinite(sums.sum)) window.result = sums.sum / samples + sums.correction / samples
  else window.result = mean(samplesIn(window), 0, samples)
  return true
}

function samplesIn(window: RunWindow): Float64Array {
  const samples = new Float64Array(window.samples)
  let at = 0
  for (let run = window.from; run < window.to; run++) {
    const count = samplesOf(window, run)
    samples.fill(window.values[run]!, at, at + count)
    at += count
  }
  return samples
}

export const RUN_KERNELS: Readonly<Record<string, RunKernel>> = {
  ...VALUE_KERNELS,
  increase: (window) => extrapolate(window, true),
  rate: (window) => extrapolate(window, true, rangeSeconds(window.endMs - window.startMs)),
  delta: (window) => extrapolate(window, false),
  sum_over_time: sumOverTime,
  avg_over_time: avgOverTime,
  count_over_time: (window) => {
    window.result = window.samples
    return true
  },
}

/**
 * The result for a window of at least two samples of one run; the same for all such windows, wherever they are. Not
 * every function has one.
 */
export const RUN_CONSTANTS: Readonly<Record<string, (value: number) => number>> = {
  // The gain is 0; of a value that is not finite, NaN.
  increase: (value) => value - value,
  rate: (value) => value - value,
  delta: (value) => value - value,
  resets: () => 0,
  changes: () => 0,
  min_over_time: (value) => value,
  max_over_time: (value) => value,
  first_over_time: (value) => value,
  last_over_time: (value) => value,
  present_over_time: () => 1,
}
