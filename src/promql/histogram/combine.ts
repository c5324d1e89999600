import type { Histogram } from '../../model/histogram.ts'
import type { AddNumber } from './bucket-sums.ts'
import { beginSum, endSum, stepSum } from './running-sum.ts'

/** The sum or the difference of two histograms, by plain arithmetic. */
export interface Combined {
  readonly histogram: Histogram
  /** See `Step` in running-sum.ts. */
  readonly isCollision: boolean
  readonly isReconciled: boolean
}

/** `undefined`: one has exponential buckets and the other has custom ones. */
export function addHistograms(a: Histogram, b: Histogram): Combined | undefined {
  return combine(a, b, 1)
}

/** What is known of the counts is that of a sum; a difference that is shown to somebody is a gauge. */
export function subtractHistograms(a: Histogram, b: Histogram): Combined | undefined {
  return combine(a, b, -1)
}

function combine(a: Histogram, b: Histogram, sign: 1 | -1): Combined | undefined {
  const step = stepSum(beginSum(a), b, sign, addPlainly)
  if (step === undefined) return undefined
  return { histogram: endSum(step.running), isCollision: step.isCollision, isReconciled: step.isReconciled }
}

export const addPlainly: AddNumber = (to, value) => {
  to.sum += value
}
