/**
 * Whether two groups of runs take the same time: the log-rank test (Mantel 1966; Peto and Peto 1972), with the
 * hypergeometric variance, so that ties are right. One degree of freedom.
 */
import type { Durations } from './durations.ts'
import { chiSquareTail } from './normal.ts'

export interface LogRank {
  readonly chiSquare: number
  /** The probability of so large a difference when there is none. */
  readonly pValue: number
  /** Finished runs of the first group, and how many would have been expected of it: more seen is faster. */
  readonly finished: number
  readonly expected: number
}

/** `undefined`: at no time both groups have runs at risk and one ends. */
export function logRankTest(first: Durations, second: Durations): LogRank | undefined {
  const cursors = [cursorOf(first), cursorOf(second)] as const
  let expected = 0
  let variance = 0
  for (;;) {
    const time = Math.min(cursors[0].next(), cursors[1].next())
    if (time === Infinity) break
    const [a, b] = [cursors[0].step(time), cursors[1].step(time)]
    const atRisk = a.atRisk + b.atRisk
    const ended = a.ended + b.ended
    expected += (ended * a.atRisk) / atRisk
    if (atRisk > 1) {
      variance += (ended * (a.atRisk / atRisk) * (b.atRisk / atRisk) * (atRisk - ended)) / (atRisk - 1)
    }
  }
  if (variance <= 0) return undefined
  const finished = first.finished.length
  const chiSquare = (finished - expected) ** 2 / variance
  return { chiSquare, pValue: chiSquareTail(chiSquare), finished, expected }
}

interface Cursor {
  /** Of the next finished run; Infinity after the last. */
  readonly next: () => number
  /** At risk just before a time, and ended at it; goes past it. */
  readonly step: (time: number) => { readonly atRisk: number; readonly ended: number }
}

function cursorOf({ finished, censored }: Durations): Cursor {
  let at = 0
  let lost = 0
  return {
    next: () => finished[at] ?? Infinity,
    step: (time) => {
      while (lost < censored.length && censored[lost]! < time) lost++
      const atRisk = finished.length - at + censored.length - lost
      const before = at
      while (at < finished.length && finished[at] === time) at++
      return { atRisk, ended: at - before }
    },
  }
}
