/**
 * How many times as long the first of two groups takes: the estimate of Hodges and Lehmann (1963) for logarithms of durations,
 * for censored ones and strata by the test of Gehan (1965, Biometrika 52:203): the ratio at which the test sees no difference, and
 * as interval all ratios that it does not reject (Fygenson and Ritov 1994, Annals of Statistics 22:732). Strata are weighted as
 * van Elteren (1960) does. For one look; normal approximation.
 */
import type { RatioInterval } from '../../model/rollout-verdict.ts'
import type { Durations } from './durations.ts'

export interface TimedStratum {
  readonly first: Durations
  readonly second: Durations
}

/** Larger ratios are open. */
const RATIO_MAX = 1000
const HALVINGS = 40

/** @param z of the interval, such as `Z_95`. `undefined`: no stratum has both groups, or nothing ended. */
export function timeRatio(strata: readonly TimedStratum[], z: number): RatioInterval | undefined {
  const both = strata.filter(({ first, second }) => sizeOf(first) > 0 && sizeOf(second) > 0)
  // Rises with the ratio: the shorter the first group is made, the more of it ends before the second.
  const at = (ratio: number): number => standardScore(both, ratio)
  const value = crossing(at, 0)
  if (value === undefined) return undefined
  const [low, high] = [crossing(at, -z), crossing(at, z)]
  return { value, ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) }
}

/** The ratio at which the score crosses a level; `undefined`: not within the range. */
function crossing(at: (ratio: number) => number, level: number): number | undefined {
  let [low, high] = [-Math.log(RATIO_MAX), Math.log(RATIO_MAX)]
  if (!(at(Math.exp(low)) < level && at(Math.exp(high)) > level)) return undefined
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2
    if (at(Math.exp(middle)) < level) low = middle
    else high = middle
  }
  return Math.exp((low + high) / 2)
}

/** Of ended runs of the first group, over what is expected, when its durations are divided by the ratio. */
function standardScore(strata: readonly TimedStratum[], ratio: number): number {
  let [score, variance] = [0, 0]
  for (const { first, second } of strata) {
    const weight = 1 / (sizeOf(first) + sizeOf(second) + 1)
    const [a, b] = [cursorOf(first, ratio), cursorOf(second, 1)]
    for (;;) {
      const time = Math.min(a.next(), b.next())
      if (time === Infinity) break
      const [own, other] = [a.step(time), b.step(time)]
      const [atRisk, ended] = [own.atRisk + other.atRisk, own.ended + other.ended]
      score += weight * (own.ended * atRisk - ended * own.atRisk)
      if (atRisk > 1) {
        variance += (weight ** 2 * ended * own.atRisk * other.atRisk * (atRisk - ended)) / (atRisk - 1)
      }
    }
  }
  // Without variance all that ended did so at once: the score is 0, too.
  return variance === 0 ? 0 : score / Math.sqrt(variance)
}

function sizeOf({ finished, censored }: Durations): number {
  return finished.length + censored.length
}

function cursorOf({ finished, censored }: Durations, ratio: number) {
  let [at, lost] = [0, 0]
  return {
    /** Of the next finished run; Infinity after the last. */
    next: (): number => (at < finished.length ? finished[at]! / ratio : Infinity),
    /** At risk just before a time, and ended at it; goes past it. */
    step: (time: number): { readonly atRisk: number; readonly ended: number } => {
      while (lost < censored.length && censored[lost]! / ratio < time) lost++
      const atRisk = finished.length - at + censored.length - lost
      const before = at
      while (at < finished.length && finished[at]! / ratio <= time) at++
      return { atRisk, ended: at - before }
    },
  }
}
