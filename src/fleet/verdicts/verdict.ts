/**
 * The verdict on a rollout from its evidence. `hold` is wrong with a probability of at most alpha over all signals and all looks:
 * each of n signals needs evidence of n / alpha (Bonferroni), and evidence may be looked at at any time
 * (statistics/label-exchange.ts, statistics/share-bounds.ts). Once reached, `hold` stays: the largest evidence counts.
 * `proceed` needs the bound of the canary's failures below the accepted share, and is wrong with at most alpha when that share is
 * exceeded. Times are those of the data, so late data changes a verdict as if it had been there in time.
 */
import type {
  RolloutChange,
  RolloutDecision,
  RolloutPolicy,
  RolloutRun,
  RolloutSignal,
  SignalEvidence,
} from '../../model/rollout-verdict.ts'
import { shareBounds } from '../statistics/share-bounds.ts'
import { changeBlocks } from './changes.ts'
import { durationBlocks } from './durations.ts'
import { exchangeTest, type ScoreBlock } from './exchange-test.ts'
import { failureBlocks, failureShare, higherFactor, type FailureShare } from './failures.ts'
import { isFailure } from './run-outcomes.ts'

export interface RolloutEvidence {
  readonly runs: readonly RolloutRun[]
  readonly alerts: readonly RolloutChange[]
  readonly modifications: readonly RolloutChange[]
}

export interface RolloutVerdict {
  readonly decision: RolloutDecision
  /** For `not_comparable` and `hold`: why. */
  readonly reason?: string
  readonly canary: FailureShare
  readonly baseline: FailureShare
  /** The canary's share of failures that is accepted: the lower bound of the baseline's and the margin. */
  readonly accepted: number
  readonly signals: readonly SignalEvidence[]
  /** For `insufficient`: canary upgrades that are still needed if they end like those until now. Absent: no number of them helps. */
  readonly canariesNeeded?: number
}

export function rolloutVerdict(evidence: RolloutEvidence, policy: RolloutPolicy, lookMs: number): RolloutVerdict {
  const { runs } = evidence
  const needed = policy.signals.length / policy.alpha
  const [canaries, baselines] = [true, false].map((side) => runs.filter(({ isCanary }) => isCanary === side))
  const canary = failureShare(canaries!, policy, lookMs, policy.alpha / 2)
  const baseline = failureShare(baselines!, policy, lookMs, policy.alpha / 2)
  const accepted = Math.min(1, baseline.low + policy.failureMargin)
  const signals = policy.signals.map((signal) => evidenceOf(signal, evidence, policy, lookMs, needed))
  const facts = { canary, baseline, accepted, signals }
  if (canaries!.length === 0) return { ...facts, decision: 'not_comparable', reason: 'No cluster has upgraded to it.' }
  if (baseline.of === 0) return { ...facts, decision: 'not_comparable', reason: 'No other upgrade has ended.' }
  const worse = signals.filter(({ state }) => state === 'worse')
  if (worse.length > 0) {
    return { ...facts, decision: 'hold', reason: `Worse: ${worse.map(({ signal }) => signal).join(', ')}.` }
  }
  if (canary.of >= policy.canariesMin && canary.high <= accepted) return { ...facts, decision: 'proceed' }
  const more = canariesNeeded(canary, accepted, policy)
  return { ...facts, decision: 'insufficient', ...(more === undefined ? {} : { canariesNeeded: more }) }
}

function evidenceOf(
  signal: RolloutSignal,
  { runs, alerts, modifications }: RolloutEvidence,
  policy: RolloutPolicy,
  lookMs: number,
  needed: number,
): SignalEvidence {
  switch (signal) {
    case 'failures':
      return failureEvidence(runs, policy, lookMs, needed)
    case 'failures_concurrent':
      return exchangeEvidence(signal, failureBlocks(runs, policy, lookMs), needed)
    case 'duration':
      return exchangeEvidence(signal, durationBlocks(runs, policy, lookMs), needed)
    case 'alerts':
      return exchangeEvidence(signal, changeBlocks(alerts, policy, lookMs), needed)
    case 'modifications':
      return exchangeEvidence(signal, changeBlocks(modifications, policy, lookMs), needed)
  }
}

function exchangeEvidence(signal: RolloutSignal, blocks: readonly ScoreBlock[], needed: number): SignalEvidence {
  const { factor, sinceMs, canaries, baselines } = exchangeTest(blocks, needed)
  const scores = blocks.flatMap((block) => block.scores)
  const positive = (side: boolean): number =>
    scores.filter(({ score, isCanary }) => isCanary === side && score > 0).length
  const state = sinceMs !== undefined ? 'worse' : canaries === 0 ? 'none' : 'open'
  return {
    ...{ signal, state, factor, needed },
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(state === 'none' ? { reason: 'No cluster of both groups started on the same day in the same stratum.' } : {}),
    canary: { count: positive(true), of: canaries },
    baseline: { count: positive(false), of: baselines },
  }
}

/** Looks are the moments at which an upgrade's horizon passes. */
function failureEvidence(
  runs: readonly RolloutRun[],
  { horizonMs }: RolloutPolicy,
  lookMs: number,
  needed: number,
): SignalEvidence {
  const due = runs
    .filter((run) => run.startedMs + horizonMs <= lookMs && isFailure(run, horizonMs) !== undefined)
    .sort((a, b) => a.startedMs - b.startedMs)
  const canary = { count: 0, of: 0 }
  const baseline = { count: 0, of: 0 }
  let factor = 1
  let sinceMs: number | undefined
  due.forEach((run, i) => {
    const own = run.isCanary ? canary : baseline
    own.of++
    const failed = isFailure(run, horizonMs) === true
    if (failed) own.count++
    // Only a failure of the canary, or a success of the baseline, raises the factor.
    if (failed !== run.isCanary || due[i + 1]?.startedMs === run.startedMs) return
    const now = higherFactor(canary, baseline)
    factor = Math.max(factor, now)
    if (now >= needed) sinceMs ??= run.startedMs + horizonMs
  })
  const state = sinceMs !== undefined ? 'worse' : canary.of === 0 || baseline.of === 0 ? 'none' : 'open'
  return {
    ...{ signal: 'failures' as const, state, factor, needed },
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(state === 'none' ? { reason: 'Only one of both groups has upgrades whose horizon has passed.' } : {}),
    canary,
    baseline,
  }
}

/** More canary upgrades than this are not awaited. */
const NEEDED_MAX = 100_000

/** How many more, all of them ending in the present share of failures, bring the upper bound below the accepted share. */
function canariesNeeded(
  { count, of }: FailureShare,
  accepted: number,
  { canariesMin, alpha }: RolloutPolicy,
): number | undefined {
  const isEnough = (more: number): boolean => {
    const all = of + more
    const failed = of === 0 ? 0 : Math.round((count * all) / of)
    return all >= canariesMin && shareBounds(failed, all, alpha / 2).high <= accepted
  }
  let [enough, less] = [1, 0]
  while (!isEnough(enough)) {
    if (enough > NEEDED_MAX) return undefined
    ;[less, enough] = [enough, enough * 2]
  }
  while (enough - less > 1) {
    const middle = (enough + less) >> 1
    if (isEnough(middle)) enough = middle
    else less = middle
  }
  return enough
}
