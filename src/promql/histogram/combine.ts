import type { Histogram } from '../../model/histogram.ts'
import type { AddNumber } from './bucket-sums.ts'
import { beginSum, endSum, stepSum } from './running-sum.ts'

/** The sum or the difference of two histograms, without compensation. */
export interface Combined {
  readonly histogram: Histogram
  /** See `Step` in running-sum.ts. */
  readonly isCollision: boolean
  readonly isReconciled: boolean
}

/**
 * The sum (`sign` 1) or the difference (-1), which has the counter reset hint of a sum; the caller makes a displayed
 * difference a gauge. `undefined`: one has exponential buckets and the other has custom ones.
 */
export function combineHistograms(a: Histogram, b: Histogram, sign: 1 | -1): Combined | undefined {
  const step = stepSum(beginSum(a), b, sign, addPlainly)
  if (step === undefined) return undefined
  return { histogram: endSum(step.running), isCollision: step.isCollision, isReconciled: step.isReconciled }
}

export const addPlainly: AddNumber = (to, value) => {
  to.sum += value
}
