import { stepTimeMs, type Steps } from './steps.ts'

/** The values `[from, to)` of a window, of samples or of runs. */
export interface ValueWindow {
  values: Float64Array
  from: number
  /** Greater than `from`: kernels get no empty windows. */
  to: number
  result: number
}

/**
 * One window of a range vector: the samples `[from, to)` of the columns, all in `(startMs, endMs]`. One object per
 * evaluation, reused for all windows; a kernel reads it and writes `result`.
 */
export interface Window extends ValueWindow {
  timesMs: Float64Array
  startMs: number
  endMs: number
  /** The time of the step, which differs from `endMs` with `offset` and `@`. */
  stepMs: number
  /** Number of the step. */
  step: number
  /** The scalar argument of the function at this step. */
  param: number
}

/** HOT: called once per series and step; should not allocate. False: no value at this step. */
export type WindowKernel = (window: Window) => boolean

/**
 * HOT: moves one window over the samples `[0, count)` of one series; both ends only move forward. Results go to
 * `values[cell + step]`.
 */
export function slideOverSamples(
  kernel: WindowKernel,
  timesMs: Float64Array,
  samples: Float64Array,
  count: number,
  endsMs: Float64Array,
  rangeMs: number,
  steps: Steps,
  params: Float64Array | undefined,
  cell: number,
  values: Float64Array,
  present: Uint8Array,
): void {
  const window = shared
  window.timesMs = timesMs
  window.values = samples
  let from = 0
  let to = 0
  for (let s = 0; s < endsMs.length; s++) {
    const endMs = endsMs[s]!
    const startMs = endMs - rangeMs
    while (from < count && timesMs[from]! <= startMs) from++
    while (to < count && timesMs[to]! <= endMs) to++
    if (to <= from) continue
    window.from = from
    window.to = to
    window.startMs = startMs
    window.endMs = endMs
    window.stepMs = stepTimeMs(steps, s)
    window.step = s
    window.param = params === undefined ? 0 : params[s]!
    if (!kernel(window)) continue
    values[cell + s] = window.result
    present[cell + s] = 1
  }
}

/** Shared by all evaluations: the windows of a series are processed without yielding. */
const shared: Window = {
  timesMs: new Float64Array(0),
  values: new Float64Array(0),
  from: 0,
  to: 0,
  startMs: 0,
  endMs: 0,
  stepMs: 0,
  step: 0,
  param: 0,
  result: 0,
}
