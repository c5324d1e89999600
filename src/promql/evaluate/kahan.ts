/**
 * Compensated sums (Kahan's summation, as improved by Neumaier), so that a mean does not depend on the order of the
 * series. One accumulator object per evaluation, reused.
 */
export interface Accumulator {
  sum: number
  /** The rounding error of the sum. The full sum is `sum + correction`. */
  correction: number
}

/** HOT. Adds `value`. An infinite sum clears the correction, which would be NaN. */
export function add(to: Accumulator, value: number): void {
  const sum = to.sum + value
  if (sum === Infinity || sum === -Infinity) to.correction = 0
  else if (Math.abs(to.sum) >= Math.abs(value)) to.correction += to.sum - sum + value
  else to.correction += value - sum + to.sum
  to.sum = sum
}

/** The full sum. */
export function total(of: Accumulator): number {
  return of.sum === Infinity || of.sum === -Infinity ? of.sum : of.sum + of.correction
}
