import type { Extension } from '../ast.ts'
import { VALUE_KERNELS } from './over-time.ts'
import { rangeSeconds } from './rate.ts'

/** Functions of one extended window: the definitions are those of Prometheus' `anchored` and `smoothed`. */

/** A window and the samples around it: `[from, to)`, some of which are in `(startMs, endMs]`. Moves forward only. */
export interface ExtendedWindow {
  readonly timesMs: Float64Array
  readonly values: Float64Array
  readonly count: number
  from: number
  to: number
  startMs: number
  endMs: number
  result: number
}

/** Moves the samples along with the window: from `behindMs` before it (open) to `aheadMs` after it. */
export function samplesAround(window: ExtendedWindow, behindMs: number, aheadMs: number): void {
  const { timesMs, count, startMs, endMs } = window
  while (window.from < count && timesMs[window.from]! <= startMs - behindMs) window.from++
  if (window.to < window.from) window.to = window.from
  while (window.to < count && timesMs[window.to]! <= endMs + aheadMs) window.to++
}

/** The samples at the two ends of a window, and the values there. */
interface ExtendedEnds {
  readonly first: number
  readonly last: number
  readonly left: number
  readonly right: number
}

/** Undefined: the window has no sample. There is at least one sample around it. */
export function extendedEnds(
  { timesMs, values, from, to, startMs, endMs }: ExtendedWindow,
  extension: Extension,
  isCounter: boolean,
): ExtendedEnds | undefined {
  const isSmoothed = extension === 'smoothed'
  let first = from
  while (first + 1 < to - 1 && timesMs[first + 1]! <= startMs) first++
  let last = to - 1
  if (isSmoothed) {
    last = from
    while (last < to - 1 && timesMs[last]! < endMs) last++
  }
  if (from === to || timesMs[last]! <= startMs || (isSmoothed && timesMs[first]! > endMs)) return undefined
  const left =
    isSmoothed && timesMs[first]! < startMs ? interpolate(timesMs, values, first, startMs, isCounter) : values[first]!
  const right =
    isSmoothed && last > from && timesMs[last]! > endMs
      ? interpolate(timesMs, values, last - 1, endMs, isCounter)
      : values[last]!
  return { first, last, left, right }
}

/** Interpolates between a sample and the next one. A counter reset starts from zero. */
export function interpolate(
  timesMs: Float64Array,
  values: Float64Array,
  before: number,
  atMs: number,
  isCounter: boolean,
): number {
  const next = values[before + 1]!
  const start = isCounter && next < values[before]! ? 0 : values[before]!
  return start + ((next - start) * (atMs - timesMs[before]!)) / (timesMs[before + 1]! - timesMs[before]!)
}

/** Writes `result`; false: no value. */
type ExtendedKernel = (window: ExtendedWindow) => boolean

export function extendedKernel(func: string, extension: Extension): ExtendedKernel {
  if (func === 'changes' || func === 'resets') return counted(func)
  const isCounter = func !== 'delta'
  return (window) => {
    const ends = extendedEnds(window, extension, isCounter)
    if (ends === undefined) return false
    window.result = ends.right - ends.left
    if (isCounter) window.result += lostAtResets(window, ends)
    if (func === 'rate') window.result /= rangeSeconds(window.endMs - window.startMs)
    return true
  }
}

/** The sum of a counter's values before resets inside the window; the interpolated ends include their own resets. */
function lostAtResets({ timesMs, values, startMs, endMs }: ExtendedWindow, ends: ExtendedEnds): number {
  const first = timesMs[ends.first]! <= startMs ? ends.first + 1 : ends.first
  const last = timesMs[ends.last]! >= endMs ? ends.last - 1 : ends.last
  let lost = 0
  let previous = ends.left
  for (let i = first; i <= last; i++) {
    if (values[i]! < previous) lost += previous
    previous = values[i]!
  }
  return ends.right < previous ? lost + previous : lost
}

/** `changes` and `resets`, starting with the last sample before the window. */
function counted(func: 'changes' | 'resets'): ExtendedKernel {
  const kernel = VALUE_KERNELS[func]!
  return (window) => {
    const ends = extendedEnds(window, 'anchored', false)
    if (ends === undefined) return false
    const plain = { ...window, from: ends.first }
    kernel(plain)
    window.result = plain.result
    return true
  }
}
