import { CUSTOM_BOUNDS, type Histogram } from '../../model/histogram.ts'
import type { Extension } from '../ast.ts'
import { addHistograms, subtractHistograms } from '../histogram/combine.ts'
import { isReset } from '../histogram/reset.ts'
import { divideHistogram, multiplyHistogram } from '../histogram/scale.ts'
import { extendedKernel, interpolate, type ExtendedWindow } from './extended-window.ts'
import type { Element } from './histogram-cells.ts'
import { ELEMENT_FUNCTIONS, type WindowRemarks } from './histogram-windows.ts'

/** `anchored` and `smoothed` for samples with native histograms; the definitions are Prometheus'. */

/** Samples in a window and around it, oldest first, at least one. */
export interface ElementsAround {
  readonly timesMs: readonly number[]
  readonly elements: readonly Element[]
}

/** One of the functions of extended windows. `undefined`: no value. */
export function extendedElement(
  func: string,
  extension: Extension,
  around: ElementsAround,
  startMs: number,
  endMs: number,
  remarks: WindowRemarks,
): Element | undefined {
  if (func === 'changes' || func === 'resets') return countedFromAnchor(func, around, startMs, endMs, remarks)
  const histograms = around.elements.filter((element) => typeof element !== 'number')
  if (histograms.length === 0) return extendedFloat(func, extension, around, startMs, endMs)
  if (histograms.length < around.elements.length) {
    remarks.annotations.mixedSamples(remarks.metricName, remarks.place)
    return undefined
  }
  const { timesMs } = around
  return new ExtendedGain(timesMs, histograms, startMs, endMs, extension, func !== 'delta', remarks).perSecond(
    func === 'rate',
  )
}

function extendedFloat(
  func: string,
  extension: Extension,
  { timesMs, elements }: ElementsAround,
  startMs: number,
  endMs: number,
): number | undefined {
  const window: ExtendedWindow = {
    timesMs: Float64Array.from(timesMs),
    values: Float64Array.from(elements, Number),
    count: elements.length,
    from: 0,
    to: elements.length,
    startMs,
    endMs,
    result: 0,
  }
  return extendedKernel(func, extension)(window) ? window.result : undefined
}

/** `changes` and `resets` start with the last sample before the window, if the window has samples. */
function countedFromAnchor(
  func: 'changes' | 'resets',
  { timesMs, elements }: ElementsAround,
  startMs: number,
  endMs: number,
  remarks: WindowRemarks,
): Element | undefined {
  const inside = timesMs.findIndex((timeMs) => timeMs > startMs)
  if (inside === -1) return undefined
  const first = Math.max(0, inside - 1)
  const window = { timesMs: timesMs.slice(first), elements: elements.slice(first), startMs, endMs }
  return ELEMENT_FUNCTIONS[func]!(window, remarks)
}

/** The gain of histograms between the two ends of a window. */
class ExtendedGain {
  readonly #timesMs: readonly number[]
  readonly #histograms: readonly Histogram[]
  readonly #startMs: number
  readonly #endMs: number
  readonly #isSmoothed: boolean
  readonly #isCounter: boolean
  readonly #remarks: WindowRemarks
  /** The samples at the two ends. */
  readonly #first: number
  readonly #last: number

  constructor(
    timesMs: readonly number[],
    histograms: readonly Histogram[],
    startMs: number,
    endMs: number,
    extension: Extension,
    isCounter: boolean,
    remarks: WindowRemarks,
  ) {
    this.#timesMs = timesMs
    this.#histograms = histograms
    this.#startMs = startMs
    this.#endMs = endMs
    this.#isSmoothed = extension === 'smoothed'
    this.#isCounter = isCounter
    this.#remarks = remarks
    const newest = timesMs.length - 1
    const inside = timesMs.slice(0, newest).findIndex((timeMs) => timeMs > startMs)
    this.#first = Math.max(0, (inside === -1 ? newest : inside) - 1)
    const beyond = timesMs.slice(0, newest).findIndex((timeMs) => timeMs >= endMs)
    this.#last = this.#isSmoothed && beyond !== -1 ? beyond : newest
  }

  perSecond(isRate: boolean): Histogram | undefined {
    const gained = this.#gained()
    if (gained === undefined) return undefined
    const result = isRate ? divideHistogram(gained, (this.#endMs - this.#startMs) / 1000) : gained
    return { ...result, counterReset: 'gauge' }
  }

  #gained(): Histogram | undefined {
    const { annotations, metricName, place } = this.#remarks
    const [first, last] = [this.#first, this.#last]
    if (this.#timesMs[last]! <= this.#startMs) return undefined
    if (this.#isSmoothed && this.#timesMs[first]! > this.#endMs) return undefined
    const range = this.#histograms.slice(first, last + 1)
    const isCustom = (one: Histogram): boolean => one.schema === CUSTOM_BOUNDS
    if (range.some((one) => isCustom(one) !== isCustom(range[0]!))) {
      annotations.mixedBucketKinds(metricName, place)
      return undefined
    }
    const isGauge = ({ counterReset }: Histogram): boolean => counterReset === 'gauge'
    if (this.#isCounter && range.some(isGauge)) annotations.histogramNotCounter(metricName, place)
    const left =
      this.#isSmoothed && this.#timesMs[first]! < this.#startMs
        ? this.#between(first, this.#startMs)
        : this.#histograms[first]
    const right =
      this.#isSmoothed && last > 0 && this.#timesMs[last]! > this.#endMs
        ? this.#between(last - 1, this.#endMs)
        : this.#histograms[last]
    if (left === undefined || right === undefined) return undefined
    if (!this.#isCounter && !(isGauge(left) && isGauge(right))) annotations.histogramNotGauge(metricName, place)
    const gained = combined(right, left, -1, this.#remarks)
    if (!this.#isCounter) return gained
    return this.#lostAtResets(left, right).reduce<Histogram | undefined>(
      (sum, lost) => (sum === undefined ? undefined : combined(sum, lost, 1, this.#remarks)),
      gained,
    )
  }

  #between(before: number, atMs: number): Histogram | undefined {
    const [from, to] = [this.#histograms[before]!, this.#histograms[before + 1]!]
    const share = shareOf(atMs, this.#timesMs[before]!, this.#timesMs[before + 1]!)
    return interpolated(from, to, share, this.#isCounter, this.#remarks)
  }

  /** The values of a counter before each reset inside the window. */
  #lostAtResets(left: Histogram, right: Histogram): Histogram[] {
    let next = this.#first + 1
    let previous = left
    const second = this.#histograms[this.#first + 1]
    const isInterpolated = this.#isSmoothed && this.#timesMs[this.#first]! < this.#startMs
    // The interpolation to the left end already includes that reset.
    if (isInterpolated && second !== undefined && isReset(second, this.#histograms[this.#first]!)) {
      previous = second
      next++
    }
    if (next > this.#last) return []
    const lost: Histogram[] = []
    for (const current of [...this.#histograms.slice(next, this.#last), right]) {
      if (isReset(current, previous)) lost.push(previous)
      previous = current
    }
    return lost
  }
}

/** `selector smoothed` at one time, from the samples within the lookback before and after it. */
export function smoothedElement(around: ElementsAround, atMs: number, remarks: WindowRemarks): Element | undefined {
  const { timesMs, elements } = around
  const floats = elements.filter((element) => typeof element === 'number').length
  if (floats > 0 && floats < elements.length) {
    remarks.annotations.mixedSamples(remarks.metricName, remarks.place)
    return undefined
  }
  const next = timesMs.findIndex((timeMs) => timeMs >= atMs)
  if (next !== -1 && timesMs[next] === atMs) return elements[next]
  const before = elements[(next === -1 ? elements.length : next) - 1]
  if (before === undefined) return undefined
  if (next === -1) return typeof before === 'number' ? before : { ...before, counterReset: 'unknown' }
  const after = elements[next]!
  if (typeof before === 'number' || typeof after === 'number') {
    const times = Float64Array.of(timesMs[next - 1]!, timesMs[next]!)
    return interpolate(times, Float64Array.of(Number(before), Number(after)), 0, atMs, false)
  }
  if ((before.schema === CUSTOM_BOUNDS) !== (after.schema === CUSTOM_BOUNDS)) {
    remarks.annotations.mixedBucketKinds(remarks.metricName, remarks.place)
    return undefined
  }
  const isCounter = before.counterReset !== 'gauge' || after.counterReset !== 'gauge'
  return interpolated(before, after, shareOf(atMs, timesMs[next - 1]!, timesMs[next]!), isCounter, remarks)
}

function shareOf(atMs: number, fromMs: number, toMs: number): number {
  return (atMs - fromMs) / (toMs - fromMs)
}

/** Interpolates between two histograms. A counter reset starts from an empty histogram. */
function interpolated(
  from: Histogram,
  to: Histogram,
  share: number,
  isCounter: boolean,
  remarks: WindowRemarks,
): Histogram | undefined {
  if (share === 0) return from
  if (share === 1) return to
  if (isCounter && isReset(to, from)) return multiplyHistogram(to, share)
  const difference = combined(to, from, -1, remarks)
  return difference === undefined ? undefined : combined(multiplyHistogram(difference, share), from, 1, remarks)
}

function combined(a: Histogram, b: Histogram, sign: 1 | -1, remarks: WindowRemarks): Histogram | undefined {
  const result = sign === 1 ? addHistograms(a, b) : subtractHistograms(a, b)
  const { annotations, metricName, place } = remarks
  if (result === undefined) annotations.mixedBucketKinds(metricName, place)
  else if (result.isReconciled) annotations.reconciledBounds(sign === 1 ? 'addition' : 'subtraction', place)
  return result?.histogram
}
