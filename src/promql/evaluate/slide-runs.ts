import type { RunColumns } from '../../model/run-columns.ts'
import { evenFactor, extrapolated, rangeSeconds } from './rate.ts'
import { RUN_CONSTANTS, RUN_KERNELS, type RunKernel, type RunWindow } from './run-window.ts'

/** A range function applied to many series. */
interface RunSlide {
  readonly kernel: RunKernel
  readonly constant: ((value: number) => number) | undefined
  /** `rate`, `increase` and `delta` of a series that mostly changes with each sample have their own loop. */
  readonly gain: GainKind | undefined
  readonly rangeMs: number
  /** The end of the window of each step. */
  readonly endsMs: Float64Array
  /** The distance of two window ends, or 0 for fixed windows. */
  readonly everyMs: number
  readonly window: RunWindow
}

interface GainKind {
  readonly isCounter: boolean
  /** The divisor of a gain: the range for `rate`, else 1. */
  readonly seconds: number
}

/** `undefined`: this function has no kernel over runs. */
export function runSlideOf(name: string, rangeMs: number, endsMs: Float64Array): RunSlide | undefined {
  const kernel = RUN_KERNELS[name]
  if (kernel === undefined) return undefined
  const isGain = name === 'rate' || name === 'increase' || name === 'delta'
  return {
    kernel,
    constant: RUN_CONSTANTS[name],
    gain: isGain ? { isCounter: name !== 'delta', seconds: name === 'rate' ? rangeSeconds(rangeMs) : 1 } : undefined,
    rangeMs,
    endsMs,
    everyMs: endsMs.length > 1 ? endsMs[1]! - endsMs[0]! : 0,
    window: emptyWindow(),
  }
}

/** HOT. The windows of one series: the runs `[from, to)` without stale markers. Results go to `values[cell + step]`. */
export function slideOverRuns(
  slide: RunSlide,
  runs: RunColumns,
  from: number,
  to: number,
  cell: number,
  values: Float64Array,
  present: Uint8Array,
): void {
  const { counts } = runs
  let samples = 0
  let mayFall = false
  let previous = -Infinity
  for (let run = from; run < to; run++) {
    samples += counts[run]!
    const value = runs.values[run]!
    if (value < previous) mayFall = true
    previous = value
  }
  slide.window.mayFall = mayFall
  const { gain } = slide
  const isChanging = to - from > 1 && samples <= (to - from) * SAMPLES_PER_RUN_MAX
  if (gain !== undefined && isChanging && !(gain.isCounter && mayFall)) {
    if (samples > to - from) {
      expand(runs, from, to, samples)
      slideGains(slide, gain, timesMs, expanded, 0, samples, cell, values, present)
    } else slideGains(slide, gain, runs.startsMs, runs.values, from, to, cell, values, present)
  } else slideWindow(slide, runs, from, to, cell, values, present)
}

/** The most samples per run of series whose samples are expanded: a slow counter repeats some values. */
const SAMPLES_PER_RUN_MAX = 8

/** Samples of one series, reused. */
let timesMs = new Float64Array(256)
let expanded = new Float64Array(256)

/** HOT: once per sample. */
function expand({ startsMs, deltasMs, counts, values }: RunColumns, from: number, to: number, samples: number): void {
  if (timesMs.length < samples) {
    timesMs = new Float64Array(samples * 2)
    expanded = new Float64Array(samples * 2)
  }
  let at = 0
  for (let run = from; run < to; run++) {
    const startMs = startsMs[run]!
    const value = values[run]!
    timesMs[at] = startMs
    expanded[at++] = value
    const count = counts[run]!
    if (count === 1) continue
    const deltaMs = deltasMs[run]!
    for (let i = 1; i < count; i++) {
      timesMs[at] = startMs + deltaMs * i
      expanded[at++] = value
    }
  }
}

/** Samples before each run of a row: `before[run - from]`. Grows, reused. */
let before = new Float64Array(256)

/** HOT: once per window. Moves one window; both ends only move forward. Windows inside a run are skipped. */
function slideWindow(
  { kernel, constant, rangeMs, endsMs, everyMs, window }: RunSlide,
  runs: RunColumns,
  from: number,
  to: number,
  cell: number,
  values: Float64Array,
  present: Uint8Array,
): void {
  const { startsMs, deltasMs, counts } = runs
  window.counts = counts
  window.values = runs.values
  if (before.length < to - from) before = new Float64Array((to - from) * 2)
  for (let run = from, samples = 0; run < to; run++) {
    before[run - from] = samples
    samples += counts[run]!
  }
  let first = from
  let last = from
  for (let s = 0; s < endsMs.length; s++) {
    const endMs = endsMs[s]!
    const startMs = endMs - rangeMs
    while (first < to && lastMsOf(runs, first) <= startMs) first++
    if (constant !== undefined && first < to && counts[first]! > 2 && everyMs > 0) {
      // From here to the step whose window ends with the run, all windows are inside it and have at least two samples.
      const deltaMs = deltasMs[first]!
      const lastMs = lastMsOf(runs, first)
      if (endMs <= lastMs && startMs >= startsMs[first]! - deltaMs && rangeMs >= 2 * deltaMs) {
        const end = Math.min(endsMs.length, Math.floor((lastMs - endsMs[0]!) / everyMs) + 1)
        values.fill(constant(runs.values[first]!), cell + s, cell + end)
        present.fill(1, cell + s, cell + end)
        s = end - 1
        continue
      }
    }
    while (last + 1 < to && startsMs[last + 1]! <= endMs) last++
    // `last` is the newest run that starts in time, if any; the first run that ends in time may be after it.
    if (first > last || startsMs[first]! > endMs) continue
    const firstStartMs = startsMs[first]!
    const lastStartMs = startsMs[last]!
    let skipped = 0
    if (firstStartMs <= startMs) skipped = Math.floor((startMs - firstStartMs) / deltasMs[first]!) + 1
    let taken = counts[last]!
    if (taken > 1) taken = Math.min(taken, Math.floor((endMs - lastStartMs) / deltasMs[last]!) + 1)
    const inWindow = before[last - from]! - before[first - from]! + taken - skipped
    if (inWindow <= 0) continue
    window.from = first
    window.to = last + 1
    window.skipped = skipped
    window.taken = taken
    window.samples = inWindow
    window.firstMs = firstStartMs + (skipped === 0 ? 0 : skipped * deltasMs[first]!)
    window.lastMs = lastStartMs + (taken === 1 ? 0 : (taken - 1) * deltasMs[last]!)
    window.startMs = startMs
    window.endMs = endMs
    if (!kernel(window)) continue
    values[cell + s] = window.result
    present[cell + s] = 1
  }
}

function lastMsOf({ startsMs, deltasMs, counts }: RunColumns, run: number): number {
  return counts[run] === 1 ? startsMs[run]! : startsMs[run]! + (counts[run]! - 1) * deltasMs[run]!
}

/**
 * HOT: once per window. Samples that never decrease where that matters. Windows of one cluster's series lie on their
 * samples alike, when the step is a multiple of the scrape interval: then the factor of a gain is that of the window
 * before, unless the counter's zero is in reach.
 */
function slideGains(
  { rangeMs, endsMs }: RunSlide,
  { isCounter, seconds }: GainKind,
  timesMs: Float64Array,
  samples: Float64Array,
  from: number,
  to: number,
  cell: number,
  values: Float64Array,
  present: Uint8Array,
): void {
  let first = from
  let end = from
  let knownCount = 0
  let knownBeforeMs = 0
  let knownAfterMs = 0
  let factor = 0
  for (let s = 0; s < endsMs.length; s++) {
    const endMs = endsMs[s]!
    const startMs = endMs - rangeMs
    while (first < to && timesMs[first]! <= startMs) first++
    if (end < first) end = first
    while (end < to && timesMs[end]! <= endMs) end++
    const count = end - first
    if (count < 2) continue
    const value = samples[first]!
    const gain = samples[end - 1]! - value
    const firstMs = timesMs[first]!
    const lastMs = timesMs[end - 1]!
    present[cell + s] = 1
    // Not so for two samples, nor for what is not a number.
    const isFarFromZero = !isCounter || gain <= 0 || value >= gain
    if (count === 2 || !isFarFromZero) {
      values[cell + s] = extrapolated(gain, value, firstMs, lastMs, count, startMs, endMs, isCounter, seconds)
      continue
    }
    const beforeMs = firstMs - startMs
    const afterMs = endMs - lastMs
    if (count !== knownCount || beforeMs !== knownBeforeMs || afterMs !== knownAfterMs) {
      factor = evenFactor(firstMs, lastMs, count, startMs, endMs) / seconds
      knownCount = count
      knownBeforeMs = beforeMs
      knownAfterMs = afterMs
    }
    values[cell + s] = gain * factor
  }
}

function emptyWindow(): RunWindow {
  return {
    counts: new Int32Array(0),
    values: new Float64Array(0),
    from: 0,
    to: 0,
    skipped: 0,
    taken: 0,
    samples: 0,
    firstMs: 0,
    lastMs: 0,
    startMs: 0,
    endMs: 0,
    mayFall: false,
    result: 0,
  }
}
