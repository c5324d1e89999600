/** The normal distribution, as far as intervals and tests here need it. */

/** The 97.5 % quantile: two-sided intervals of 95 %. */
export const Z_95 = 1.959963984540054

/**
 * The probability that the square of a standard normal number (chi-square with one degree of freedom) is above `x`.
 * It is erfc(sqrt(x / 2)): by the series of erf below 3, by the continued fraction above (Abramowitz and Stegun 7.1.6
 * and 7.1.14). Relative error below 1e-12.
 */
export function chiSquareTail(x: number): number {
  if (Number.isNaN(x)) return NaN
  if (x <= 0) return 1
  const root = Math.sqrt(x / 2)
  return root < SERIES_BELOW ? 1 - erfBySeries(root) : erfcByFraction(root)
}

/** The width, in standard deviations, of a two-sided interval that misses with probability `alpha`. */
export function intervalWidth(alpha: number): number {
  let [low, high] = [0, 40]
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (chiSquareTail(middle * middle) > alpha) low = middle
    else high = middle
  }
  return high
}

const SERIES_BELOW = 2
const FRACTION_TERMS = 120

function erfBySeries(x: number): number {
  // e^(-x^2) * 2/sqrt(pi) * sum of 2^n x^(2n+1) / (1 * 3 * ... * (2n+1)): all terms are positive, so none cancel.
  let term = x
  let sum = x
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

function erfcByFraction(x: number): number {
  let fraction = x
  for (let n = FRACTION_TERMS; n >= 1; n--) fraction = x + n / 2 / fraction
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction
}
