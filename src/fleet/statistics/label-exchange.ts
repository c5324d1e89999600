/**
 * Evidence that one group scores higher than another, valid however often and whenever it is looked at.
 *
 * In a block of observations of which the labels (canary or baseline) would be exchangeable if both groups behaved alike, the
 * sum S of the canary's scores has a known permutation distribution. The e-value of the block at a tilt t > 0 is
 * exp(t S) / E[exp(t S)], the mean over all ways to choose as many observations: its mean is 1 when the labels are
 * exchangeable, whatever the scores are. With scores 0 and 1 it is the likelihood ratio of Fisher's noncentral hypergeometric
 * distribution at odds ratio exp(t), so it is the sequential form of Fisher's exact test, and its product over strata that of
 * Mantel and Haenszel's. Products over blocks are test martingales: the probability that one ever reaches 1 / alpha is at most
 * alpha (Ville 1939; Ramdas, Grünwald, Vovk and Shafer 2023, Statistical Science 38:576).
 */
import { invariant } from '../../base/invariant.ts'

export interface LabelledScore {
  readonly score: number
  readonly isCanary: boolean
}

/** Steps of the computation: observations of the smaller group times all of a block. Larger blocks are the caller's to split. */
export const BLOCK_STEPS_MAX = 4_000_000

/** The natural logarithm of the e-value; 0 without both groups. */
export function logEValue(block: readonly LabelledScore[], tilt: number): number {
  const canaries = block.filter(({ isCanary }) => isCanary).length
  // What the others sum up to is as good: their tilt is the opposite one.
  const isTurned = canaries > block.length / 2
  const chosen = block.filter(({ isCanary }) => isCanary !== isTurned)
  if (chosen.length === 0) return 0
  invariant(chosen.length * block.length <= BLOCK_STEPS_MAX, `a block of ${block.length} observations is too large`)
  const own = isTurned ? -tilt : tilt
  const middle = logMeanExp(block.map(({ score }) => own * score))
  const weights = block.map(({ score }) => Math.exp(own * score - middle))
  const sum = chosen.reduce((total, { score }) => total + own * score - middle, 0)
  return sum - Math.log(meanOverChoices(weights, chosen.length))
}

/**
 * The mean of the products of weights, which have the mean 1, over all choices of `count` of them. With `mean` of the weights so
 * far, `means[k]` is that mean for k of these over mean^k: at most 1 (Maclaurin), so nothing overflows, in any order. Of the
 * choices of k of n weights, a share of k / n has the newest.
 */
function meanOverChoices(weights: readonly number[], count: number): number {
  const means = new Float64Array(count + 1)
  means[0] = 1
  let mean = 1
  weights.forEach((weight, i) => {
    const n = i + 1
    const next = i === 0 ? weight : mean + (weight - mean) / n
    const [own, ratio] = [i === 0 ? 1 : weight / mean, i === 0 ? 1 : mean / next]
    let power = ratio ** Math.min(n, count)
    for (let k = Math.min(n, count); k >= 1; k--) {
      means[k] = power * ((k / n) * own * means[k - 1]! + (1 - k / n) * means[k]!)
      power /= ratio
    }
    mean = next
  })
  return means[count]!
}

function logMeanExp(values: readonly number[]): number {
  const highest = values.reduce((max, value) => Math.max(max, value), -Infinity)
  return highest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - highest), 0) / values.length)
}
