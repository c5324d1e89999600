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

/** Two groups of one stratum. */
export interface TwoCounts {
  readonly canary: Count
  readonly baseline: Count
}

/** The logarithm of the likelihood, weighted over all shares of both groups. */
export function logMixtureOf({ canary, baseline }: TwoCounts): number {
  return logMixture(canary.count, canary.of) + logMixture(baseline.count, baseline.of)
}

/** The logarithm of the largest likelihood when the canary's share is not higher. */
export function logBestOf({ canary, baseline }: TwoCounts): number {
  const isHigher = canary.count * baseline.of > baseline.count * canary.of
  if (!isHigher) return logBest(canary) + logBest(baseline)
  return logBest({ count: canary.count + baseline.count, of: canary.of + baseline.of })
}

function logBest({ count, of }: Count): number {
  return logLikelihood(count, of, of === 0 ? 0 : count / of)
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
