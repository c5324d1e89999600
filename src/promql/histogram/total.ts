import type { Histogram } from '../../model/histogram.ts'
import { add } from '../evaluate/kahan.ts'
import { beginSum, endSum, isOverflown, mapSum, stepSum, type RunningSum, type Step } from './running-sum.ts'

/**
 * The sum of many histograms, with compensated sums, or their mean: the sum divided by the count, or a running mean once
 * the sum would overflow.
 */
export class HistogramTotal {
  #running: RunningSum
  /** Set once the sum would overflow: the mean so far. */
  #mean: RunningSum | undefined
  #count = 1
  readonly #isMean: boolean
  #hasReset = false
  #hasContinued = false
  /** Custom bounds were reconciled. */
  isReconciled = false
  /** Exponential and custom buckets are mixed: there is no result. */
  isMixed = false

  constructor(first: Histogram, isMean: boolean) {
    this.#running = beginSum(first)
    this.#isMean = isMean
    this.#track(first)
  }

  /** Some histogram has the hint `reset`, and another `continued`. */
  get hasCollision(): boolean {
    return this.#hasReset && this.#hasContinued
  }

  add(histogram: Histogram): void {
    if (this.isMixed) return
    this.#track(histogram)
    this.#count++
    if (this.#mean === undefined) {
      const step = this.#step(this.#running, histogram)
      if (step === undefined) return
      if (!this.#isMean || !isOverflown(step.running)) {
        this.#running = step.running
        return
      }
      const before = this.#count - 1
      this.#mean = mapSum(this.#running, (value) => value / before)
    }
    const count = this.#count
    const weight = (count - 1) / count
    const mean = mapSum(this.#mean, (value) => value * weight)
    const share = endSum(mapSum(beginSum(histogram), (value) => value / count))
    this.#mean = this.#step(mean, share)?.running ?? this.#mean
  }

  /** `undefined` when kinds of buckets were mixed. */
  result(): Histogram | undefined {
    if (this.isMixed) return undefined
    if (this.#mean !== undefined) return endSum(this.#mean)
    return endSum(this.#isMean ? mapSum(this.#running, (value) => value / this.#count) : this.#running)
  }

  #step(running: RunningSum, histogram: Histogram): Step | undefined {
    const step = stepSum(running, histogram, 1, add)
    if (step === undefined) this.isMixed = true
    else if (step.isReconciled) this.isReconciled = true
    return step
  }

  #track({ counterReset }: Histogram): void {
    if (counterReset === 'reset') this.#hasReset = true
    if (counterReset === 'continued') this.#hasContinued = true
  }
}
