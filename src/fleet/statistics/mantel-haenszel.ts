/**
 * The common odds ratio of stratified tables (Mantel and Haenszel 1959), with the interval of Robins, Breslow and Greenland
 * (1986, Biometrics 42:311). For display beside a verdict: the verdict does not use it.
 */
import type { TwoShares } from './fisher.ts'
import { Z_95 } from './normal.ts'

export interface OddsRatio {
  readonly ratio: number
  readonly low: number
  readonly high: number
}

/** Of the first group's odds over the second's, 95 %. `undefined`: a group has none, or all, in every stratum that has both. */
export function commonOddsRatio(strata: readonly TwoShares[]): OddsRatio | undefined {
  let [r, s, pr, mixed, qs] = [0, 0, 0, 0, 0]
  for (const { first, second } of strata) {
    const n = first.of + second.of
    if (n === 0) continue
    const [a, b, c, d] = [first.count, first.of - first.count, second.count, second.of - second.count]
    const [p, q] = [(a + d) / n, (b + c) / n]
    const [ri, si] = [(a * d) / n, (b * c) / n]
    r += ri
    s += si
    pr += p * ri
    mixed += p * si + q * ri
    qs += q * si
  }
  if (r === 0 || s === 0) return undefined
  const ratio = r / s
  const width = Z_95 * Math.sqrt(pr / (2 * r * r) + mixed / (2 * r * s) + qs / (2 * s * s))
  return { ratio, low: ratio * Math.exp(-width), high: ratio * Math.exp(width) }
}
