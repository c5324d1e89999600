/**
 * Bounds of a share that hold at every look at once: the probability that the share is ever outside is at most alpha on each side.
 * The share is inside while the mixture of likelihoods over Jeffreys' prior (the estimator of Krichevsky and Trofimov 1981) is
 * less than 1 / alpha times its likelihood: a test martingale (Robbins 1970, Annals of Mathematical Statistics 41:1397).
 */
import { invariant } from '../../base/invariant.ts'

export interface ShareBounds {
  readonly low: number
  readonly high: number
}

/** `alpha` of each side. Without observations 0 to 1. O(of). */
export function shareBounds(count: number, of: number, alpha: number): ShareBounds {
  invariant(count >= 0 && count <= of, `a share is ${count} of ${of}, want 0 <= count <= of`)
  const mixture = logMixture(count, of) + Math.log(alpha)
  const isInside = (share: number): boolean => logLikelihood(count, of, share) > mixture
  const middle = of === 0 ? 0.5 : count / of
  return {
    low: count === 0 ? 0 : boundary(isInside, 0, middle),
    high: count === of ? 1 : boundary(isInside, 1, middle),
  }
}

export function logLikelihood(count: number, of: number, share: number): number {
  const successes = count === 0 ? 0 : count * Math.log(share)
  return successes + (count === of ? 0 : (of - count) * Math.log1p(-share))
}

/** Of the likelihoods of all shares, weighted by Jeffreys' prior: sums of logarithms that grow by one term with each observation. */
export function logMixture(count: number, of: number): number {
  return sumAt(HALVES, count) + sumAt(HALVES, of - count) - sumAt(WHOLES, of)
}

interface Sums {
  readonly term: (i: number) => number
  readonly known: number[]
}

const HALVES: Sums = { term: (i) => Math.log(i - 0.5), known: [0] }
const WHOLES: Sums = { term: (i) => Math.log(i), known: [0] }

function sumAt({ term, known }: Sums, n: number): number {
  for (let i = known.length; i <= n; i++) known.push(known[i - 1]! + term(i))
  return known[n]!
}

const HALVINGS = 50

/** Between a share that may be outside and one that is inside; the likelihood falls from the middle to both ends. */
function boundary(isInside: (share: number) => boolean, outside: number, inside: number): number {
  let [far, near] = [outside, inside]
  for (let i = 0; i < HALVINGS; i++) {
    const half = (far + near) / 2
    if (isInside(half)) near = half
    else far = half
  }
  return far
}
