/** Whether the canary's upgrades take longer: ranks of durations, with those that did not end in time as the longest. */
import { firstIndexWhere } from '../../base/first-index.ts'
import type { RolloutPolicy, RolloutRun } from '../../model/rollout-verdict.ts'
import { blocksOf, DAY_MS } from './blocks.ts'
import type { ScoreBlock } from './exchange-test.ts'
import { memberOf, secondsOf } from './run-outcomes.ts'

/** Savage's scores grow without bound; a single slow upgrade may not outweigh all others. */
const SCORE_MAX = 3

/**
 * Scores are those of the log-rank test (Savage 1956): minus the logarithm of the share of durations that are longer. The share is
 * of all durations of the stratum until then, of both groups together and without their labels, so that small blocks have
 * fine ranks and labels stay exchangeable.
 */
export function durationBlocks(
  runs: readonly RolloutRun[],
  { horizonMs }: RolloutPolicy,
  lookMs: number,
): readonly ScoreBlock[] {
  const known = new Map<string, number[]>()
  return blocksOf(runs).flatMap(({ startMs, stratum, members }) => {
    const completeMs = startMs + DAY_MS + horizonMs
    if (completeMs > lookMs) return []
    const timed = members.flatMap((run) => {
      const seconds = secondsOf(run, horizonMs)
      return seconds === undefined ? [] : [{ ...memberOf(run), seconds }]
    })
    const all = [...(known.get(stratum) ?? []), ...timed.map(({ seconds }) => seconds)].sort((a, b) => a - b)
    known.set(stratum, all)
    const scores = timed.map(({ seconds, ...member }) => ({ ...member, score: savageScore(seconds, all) }))
    return [{ completeMs, scores }]
  })
}

/** `rising` has `value`. Ties share the middle of their ranks. */
function savageScore(value: number, rising: readonly number[]): number {
  const below = firstIndexWhere(rising, (one) => one >= value)
  const rank = (below + firstIndexWhere(rising, (one) => one > value)) / 2
  return Math.min(SCORE_MAX, -Math.log(1 - rank / rising.length + 0.5 / rising.length))
}
