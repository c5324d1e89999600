import { add, total, type Accumulator } from './kahan.ts'
import { mean } from './mean.ts'
import { extrapolated } from './rate.ts'

/**
 * Range functions over runs: exactly the results of the functions over samples (`rate.ts`, `over-time.ts`), without
 * reading each sample. A constant series is one run, whose windows are computed from their two ends.
 */

/**
 * One window of one series: the runs `[first, last]`, without the `skipped` samples of the first run before the window
 * and with `taken` samples of the last, counted from that run's first sample. One object per evaluation, reused for all
 * windows.
 */
export interface RunWindow {
  counts: Int32Array
  values: Float64Array
  first: number
  last: number
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
  result: number
}

/** HOT: once per series and step. False: no value at this step. */
export type RunKernel = (window: RunWindow) => boolean

/** The number of samples of a run in the window. */
function samplesOf({ counts, first, last, skipped, taken }: RunWindow, run: number): number {
  return (run === last ? taken : counts[run]!) - (run === first ? skipped : 0)
}

function extrapolate(window: RunWindow, isCounter: boolean): boolean {
  if (window.samples < 2) return false
  const { values, first, last } = window
  let gain = values[last]! - values[first]!
  if (isCounter && window.mayFall) {
    for (let run = first + 1; run <= last; run++) if (values[run]! < values[run - 1]!) gain += values[run - 1]!
  }
  const { firstMs, lastMs, samples, startMs, endMs } = window
  window.result = extrapolated(gain, values[first]!, firstMs, lastMs, samples, startMs, endMs, isCounter)
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
  for (let run = window.first; run <= window.last; run++) {
    addRepeated(sums, window.values[run]!, samplesOf(window, run))
  }
  window.result = total(sums)
  return true
}

/** Like `mean`, which handles a sum that overflows. */
const avgOverTime: RunKernel = (window) => {
  const { values, first, last, samples } = window
  sums.sum = values[first]!
  sums.correction = 0
  for (let run = first; run <= last; run++) {
    addRepeated(sums, values[run]!, samplesOf(window, run) - (run === first ? 1 : 0))
  }
  if (Number.isFinite(sums.sum)) window.result = sums.sum / samples + sums.correction / samples
  else window.result = mean(samplesIn(window), 0, samples)
  return true
}

function samplesIn(window: RunWindow): Float64Array {
  const samples = new Float64Array(window.samples)
  let at = 0
  for (let run = window.first; run <= window.last; run++) {
    const count = samplesOf(window, run)
    samples.fill(window.values[run]!, at, at + count)
    at += count
  }
  return samples
}

const minOverTime: RunKernel = (window) => {
  const { values, first, last } = window
  let least = values[first]!
  for (let run = first + 1; run <= last; run++) {
    const value = values[run]!
    if (value < least || Number.isNaN(least)) least = value
  }
  window.result = least
  return true
}

const maxOverTime: RunKernel = (window) => {
  const { values, first, last } = window
  let most = values[first]!
  for (let run = first + 1; run <= last; run++) {
    const value = values[run]!
    if (value > most || Number.isNaN(most)) most = value
  }
  window.result = most
  return true
}

const resets: RunKernel = (window) => {
  const { values, first, last } = window
  let count = 0
  for (let run = first + 1; run <= last; run++) if (values[run]! < values[run - 1]!) count++
  window.result = count
  return true
}

const changes: RunKernel = (window) => {
  const { values, first, last } = window
  let count = 0
  for (let run = first + 1; run <= last; run++) {
    const value = values[run]!
    const previous = values[run - 1]!
    if (value !== previous && !(Number.isNaN(value) && Number.isNaN(previous))) count++
  }
  window.result = count
  return true
}

export const RUN_KERNELS: Readonly<Record<string, RunKernel>> = {
  increase: (window) => extrapolate(window, true),
  rate: (window) => {
    if (!extrapolate(window, true)) return false
    window.result /= (window.endMs - window.startMs) / 1000
    return true
  },
  delta: (window) => extrapolate(window, false),
  resets,
  changes,
  sum_over_time: sumOverTime,
  avg_over_time: avgOverTime,
  min_over_time: minOverTime,
  max_over_time: maxOverTime,
  count_over_time: (window) => {
    window.result = window.samples
    return true
  },
  first_over_time: (window) => {
    window.result = window.values[window.first]!
    return true
  },
  last_over_time: (window) => {
    window.result = window.values[window.last]!
    return true
  },
  present_over_time: (window) => {
    window.result = 1
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
