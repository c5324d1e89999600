/**
 * One window of a range vector: the samples `[from, to)` of the columns, all in `(startMs, endMs]`. There is one object
 * per evaluation, moved from window to window; a kernel reads it and writes `result`.
 */
export interface Window {
  timesMs: Float64Array
  values: Float64Array
  from: number
  /** Always beyond `from`: empty windows are not shown to a kernel. */
  to: number
  startMs: number
  endMs: number
  /** The time of the step, which differs from `endMs` under `offset` and `@`. */
  stepMs: number
  /** The scalar argument of the function at this step. */
  param: number
  result: number
}

/** HOT: called once per series and step, allocates nothing if it can. False: no value at this step. */
export type WindowKernel = (window: Window) => boolean
