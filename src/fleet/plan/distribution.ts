/**
 * The distribution of a duration as a column of quantiles in equal steps, from Kaplan and Meier's estimate. The part that the
 * curve does not reach is infinite: it was longer than anything that was observed. Sums and maxima are drawn from these
 * columns with a fixed seed (Monte Carlo): the p90 of a sum is not the sum of p90s.
 */
import { survivalCurve } from '../statistics/kaplan-meier.ts'
import type { Durations } from '../statistics/durations.ts'
import { quantileOf } from '../statistics/quantile.ts'

/** Seconds, rising. */
export type Quantiles = Float64Array

export const QUANTILE_STEPS = 200

export function quantilesOf(durations: Durations): Quantiles {
  const { steps, times, survival } = survivalCurve(durations)
  const column = new Float64Array(QUANTILE_STEPS)
  let step = 0
  for (let i = 0; i < QUANTILE_STEPS; i++) {
    const share = 1 - (i + 0.5) / QUANTILE_STEPS
    while (step < steps && survival[step]! > share) step++
    column[i] = step < steps ? times[step]! : Infinity
  }
  return column
}

/** Between points of a share and seconds, in proportion; the shares rise from 0 to 1. */
export function quantilesBetween(points: readonly (readonly [share: number, seconds: number])[]): Quantiles {
  return Float64Array.from({ length: QUANTILE_STEPS }, (_, i) => {
    const share = (i + 0.5) / QUANTILE_STEPS
    const at = points.findIndex(([upTo]) => upTo >= share)
    const [[low, from], [high, to]] = [points[at - 1]!, points[at]!]
    return from + ((share - low) / (high - low)) * (to - from)
  })
}

/** `undefined`: infinite. */
export function quantile(rising: ArrayLike<number>, p: number): number | undefined {
  // Beside an infinite draw there is no proportion.
  if (rising.length === 0 || rising[Math.ceil((rising.length - 1) * p)] === Infinity) return undefined
  return quantileOf(rising, p)
}

/** Numbers from 0 to 1, below 1; the same seed gives the same numbers (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One draw. */
export function drawOf(quantiles: Quantiles, random: () => number): number {
  return quantiles[Math.floor(random() * quantiles.length)]!
}

/** Draws of the sum of durations, rising. Each duration is drawn independently. */
export function sumDraws(all: readonly Quantiles[], draws: number, seed: number): Float64Array {
  const random = seededRandom(seed)
  const sums = new Float64Array(draws)
  for (let i = 0; i < draws; i++) for (const one of all) sums[i]! += drawOf(one, random)
  return sums.sort()
}
