/**
 * Shares of few: the score interval of a binomial share (Wilson 1927) and, from two of them, the interval of a difference
 * (Newcombe 1998, Statistics in Medicine 17:873, method 10, without continuity correction). Both are right where the
 * usual interval is not: for none, for all, and for ten.
 */
import type { EdgeFacts } from '../../model/stuck.ts'
import { invariant } from '../../base/invariant.ts'
import { Z_95 } from './normal.ts'

export type ShareInterval = NonNullable<EdgeFacts['success']>

/** 95 %. `of` is above 0. */
export function wilsonInterval(count: number, of: number): ShareInterval {
  invariant(of > 0 && count >= 0 && count <= of, `a share is ${count} of ${of}, want 0 <= count <= of, of > 0`)
  const share = count / of
  const square = Z_95 * Z_95
  const middle = (share + square / (2 * of)) / (1 + square / of)
  const half = (Z_95 / (1 + square / of)) * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))
  // Rounding must not put a bound of none or all beside 0 or 1.
  const low = count === 0 ? 0 : Math.max(0, middle - half)
  const high = count === of ? 1 : Math.min(1, middle + half)
  return { share, low, high, of }
}

export interface DifferenceInterval {
  readonly difference: number
  readonly low: number
  readonly high: number
}

/** Of the shares of two independent groups, the first less the second. 95 %. */
export function newcombeInterval(first: ShareInterval, second: ShareInterval): DifferenceInterval {
  const difference = first.share - second.share
  return {
    difference,
    low: difference - Math.hypot(first.share - first.low, second.high - second.share),
    high: difference + Math.hypot(first.high - first.share, second.share - second.low),
  }
}
