/** The share of failed upgrades: of all that are due, and side by side with those of the same day and stratum. */
import type { Count, RolloutPolicy, RolloutRun } from '../../model/rollout-verdict.ts'
import { logMixture, logLikelihood, shareBounds, type ShareBounds } from '../statistics/share-bounds.ts'
import { blocksOf, DAY_MS } from './blocks.ts'
import type { ScoreBlock } from './exchange-test.ts'
import { isFailure, memberOf } from './run-outcomes.ts'

export type FailureShare = Count & ShareBounds

/** Of the upgrades whose horizon has passed at the look and whose outcome is known. */
export function failureShare(
  runs: readonly RolloutRun[],
  { horizonMs }: RolloutPolicy,
  lookMs: number,
  alpha: number,
): FailureShare {
  const due = runs.filter(({ startedMs }) => startedMs + horizonMs <= lookMs)
  const outcomes = due.flatMap((run) => isFailure(run, horizonMs) ?? [])
  const [count, of] = [outcomes.filter(Boolean).length, outcomes.length]
  return { count, of, ...shareBounds(count, of, alpha) }
}

/**
 * Evidence that the first share is higher, as the logarithm of a factor, at any look: the mixture of likelihoods of both shares
 * over the largest likelihood when the first is not higher (Wasserman, Ramdas and Balakrishnan 2020, PNAS 117:16880). Factors of
 * independent groups of observations multiply.
 */
export function logHigherFactor(first: Count, second: Count): number {
  const mixtures = logMixture(first.count, first.of) + logMixture(second.count, second.of)
  const isHigher = first.count * second.of > second.count * first.of
  return mixtures - (isHigher ? logBest(sumOf(first, second)) : logBest(first) + logBest(second))
}

function logBest({ count, of }: Count): number {
  return logLikelihood(count, of, of === 0 ? 0 : count / of)
}

function sumOf(a: Count, b: Count): Count {
  return { count: a.count + b.count, of: a.of + b.of }
}

/** Blocks of upgrades with score 1 for a failure; each is looked at once, when the horizon of its last possible start has passed. */
export function failureBlocks(
  runs: readonly RolloutRun[],
  { horizonMs }: RolloutPolicy,
  lookMs: number,
): readonly ScoreBlock[] {
  return blocksOf(runs).flatMap(({ startMs, members }) => {
    const completeMs = startMs + DAY_MS + horizonMs
    if (completeMs > lookMs) return []
    const scores = members.flatMap((run) => {
      const failed = isFailure(run, horizonMs)
      return failed === undefined ? [] : [{ ...memberOf(run), score: failed ? 1 : 0 }]
    })
    return [{ completeMs, scores }]
  })
}
