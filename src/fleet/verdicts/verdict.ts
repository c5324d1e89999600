/**
 * The verdict on a rollout from its evidence. `hold` is wrong with a probability of at most alpha over all signals and all looks:
 * each of n signals needs evidence of n / alpha (Bonferroni), and evidence may be looked at at any time
 * (statistics/label-exchange.ts, statistics/share-bounds.ts). Once reached, `hold` stays: the largest evidence counts.
 * `proceed` needs the bound of the canary's failures below the accepted share, and is wrong with at most alpha when that share is
 * exceeded. Times are those of the data, so late data changes a verdict as if it had been there in time.
 */
import { groupBy } from '../../base/group-by.ts'
import type {
  Count,
  CountedMember,
  RolloutChange,
  RolloutDecision,
  RolloutMember,
  RolloutPolicy,
  RolloutRun,
  RolloutSignal,
  SignalEffect,
  SignalEvidence,
  SignalStratum,
} from '../../model/rollout-verdict.ts'
import { durationsOf } from '../statistics/durations.ts'
import type { TwoShares } from '../statistics/fisher.ts'
import { commonOddsRatio } from '../statistics/mantel-haenszel.ts'
import { Z_95 } from '../statistics/normal.ts'
import { shareBounds } from '../statistics/share-bounds.ts'
import { timeRatio } from '../statistics/time-ratio.ts'
import { changeBlocks } from './changes.ts'
import { durationBlocks } from './durations.ts'
import { exchangeTest, type MemberScore, type ScoreBlock } from './exchange-test.ts'
import { failureBlocks, failureShare, logBestOf, logMixtureOf, type FailureShare, type TwoCounts } from './failures.ts'
import { isFailure, secondsOf } from './run-outcomes.ts'

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
  const missing = whatIsMissing(canaries!, baselines!, baseline, policy)
  if (missing !== undefined) return { ...facts, decision: 'not_comparable', reason: missing }
  const worse = signals.filter(({ state }) => state === 'worse')
  if (worse.length > 0) {
    return { ...facts, decision: 'hold', reason: `Worse: ${worse.map(({ signal }) => signal).join(', ')}.` }
  }
  if (canary.of >= policy.canariesMin && canary.high <= accepted) return { ...facts, decision: 'proceed' }
  const more = canariesNeeded(canary, accepted, policy)
  return { ...facts, decision: 'insufficient', ...(more === undefined ? {} : { canariesNeeded: more }) }
}

/** Why nothing can be compared. */
function whatIsMissing(
  canaries: readonly RolloutRun[],
  baselines: readonly RolloutRun[],
  baseline: FailureShare,
  { strata }: RolloutPolicy,
): string | undefined {
  if (canaries.length === 0) return 'No cluster of the canary has upgraded to this version.'
  if (baseline.of === 0) return 'No upgrade to another version has ended in the 90 days before the canary, or since.'
  const others = new Set(baselines.map(({ stratum }) => stratum))
  if (canaries.some(({ stratum }) => others.has(stratum))) return undefined
  const own = [...new Set(canaries.map(({ stratum }) => stratum))].join('; ')
  return `No cluster with the same ${strata.join(', ')} (${own}) has upgraded to another version.`
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
      return withThreshold(exchangeEvidence(signal, failureBlocks(runs, policy, lookMs), needed), policy)
    case 'duration': {
      const blocks = durationBlocks(runs, policy, lookMs)
      return withThreshold(
        exchangeEvidence(signal, blocks, needed, () => slowdown(runs, policy, lookMs)),
        policy,
      )
    }
    case 'alerts':
      return exchangeEvidence(signal, changeBlocks(alerts, policy, lookMs), needed)
    case 'modifications':
      return exchangeEvidence(signal, changeBlocks(modifications, policy, lookMs), needed)
  }
}

/** What is proved, but smaller than the policy holds for, is not held. */
function withThreshold(evidence: SignalEvidence, policy: RolloutPolicy): SignalEvidence {
  if (evidence.state !== 'worse' || isLarge(evidence, policy)) return evidence
  return { ...evidence, state: 'open', reason: 'It is proved to be worse, but by less than the policy holds for.' }
}

function isLarge({ signal, effect, canary, baseline }: SignalEvidence, policy: RolloutPolicy): boolean {
  if (signal === 'duration') return effect === undefined || effect.value >= policy.slowdownMin
  return shareOf(canary) - shareOf(baseline) >= policy.failureDifferenceMin
}

function shareOf({ count, of }: Count): number {
  return of === 0 ? 0 : count / of
}

/** Members of blocks that have both groups: only these are compared. */
function exchangeEvidence(
  signal: RolloutSignal,
  blocks: readonly ScoreBlock[],
  needed: number,
  effectOf: (strata: readonly TwoShares[]) => SignalEffect | undefined = oddsEffect,
): SignalEvidence {
  const { factor, sinceMs } = exchangeTest(blocks, needed)
  const compared = blocks.filter(({ scores }) => new Set(scores.map(({ isCanary }) => isCanary)).size === 2)
  const isCounted = ({ score }: MemberScore): boolean => score > COUNTED_ABOVE[signal]
  const scores = compared.flatMap((block) => block.scores)
  const canary = countOf(scores, true, isCounted)
  const state = sinceMs !== undefined ? 'worse' : canary.of === 0 ? 'none' : 'open'
  // Each day of a stratum is compared by itself.
  const effect = effectOf(
    compared.map((block) => ({
      first: countOf(block.scores, true, isCounted),
      second: countOf(block.scores, false, isCounted),
    })),
  )
  return {
    ...{ signal, state, factor, needed },
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(state === 'none' ? { reason: 'No cluster of both groups started on the same day in the same stratum.' } : {}),
    canary,
    baseline: countOf(scores, false, isCounted),
    ...(effect === undefined ? {} : { effect }),
    strata: strataOf(scores, isCounted),
    counted: countedOf(scores.filter((one) => one.isCanary && isCounted(one))),
  }
}

/** From which score on a member is counted: slower than half of all; any failure; more than before. */
const COUNTED_ABOVE: Readonly<Record<RolloutSignal, number>> = {
  failures: 0,
  failures_concurrent: 0,
  duration: Math.LN2,
  alerts: 0,
  modifications: 0,
}

function oddsEffect(strata: readonly TwoShares[]): SignalEffect | undefined {
  const odds = commonOddsRatio(strata)
  return odds && { measure: 'odds_ratio', value: odds.ratio, low: odds.low, high: odds.high }
}

function countOf<T extends { readonly isCanary: boolean }>(
  all: readonly T[],
  isCanary: boolean,
  isCounted: (one: T) => boolean,
): Count {
  const own = all.filter((one) => one.isCanary === isCanary)
  return { count: own.filter(isCounted).length, of: own.length }
}

function strataOf<T extends RolloutMember>(
  all: readonly T[],
  isCounted: (one: T) => boolean,
): readonly SignalStratum[] {
  return [...groupBy(all, ({ stratum }) => stratum)]
    .map(([stratum, own]) => ({
      stratum,
      canary: countOf(own, true, isCounted),
      baseline: countOf(own, false, isCounted),
    }))
    .sort((a, b) => b.canary.of - a.canary.of || (a.stratum < b.stratum ? -1 : 1))
}

/** Clusters named in one answer. */
const COUNTED_MAX = 100

function countedOf(members: readonly (RolloutMember & { readonly id?: string })[]): readonly CountedMember[] {
  return [...members]
    .sort((a, b) => b.startedMs - a.startedMs || (a.cluster < b.cluster ? -1 : 1))
    .slice(0, COUNTED_MAX)
    .map(({ cluster, startedMs, id }) => ({ cluster, startedMs, ...(id === undefined ? {} : { upgrade: id }) }))
}

/** All upgrades of both groups by stratum, also those that nothing was beside on their day: for display, and the threshold. */
function slowdown(runs: readonly RolloutRun[], { horizonMs }: RolloutPolicy, lookMs: number): SignalEffect | undefined {
  const timed = runs.flatMap((run) => {
    const seconds = run.startedMs + horizonMs > lookMs ? undefined : secondsOf(run, horizonMs)
    return seconds === undefined ? [] : [{ ...run, seconds }]
  })
  const strata = [...groupBy(timed, ({ stratum }) => stratum).values()].map((own) => {
    const [first, second] = [true, false].map((side) => {
      const all = own.flatMap(({ isCanary, seconds }) => (isCanary === side ? Math.max(1, seconds) : []))
      const finished = all.filter((seconds) => seconds !== Infinity)
      const censored = all.slice(finished.length).map(() => horizonMs / 1000)
      return durationsOf(finished, censored)
    })
    return { first: first!, second: second! }
  })
  const ratio = timeRatio(strata, Z_95)
  return ratio && { measure: 'time_ratio', ...ratio }
}

/**
 * Of the strata that have both groups: a mixture of likelihoods, with shares of all strata together or of each by itself, over the
 * largest likelihood when no stratum's canary fails more often than its baseline, whatever the shares of strata are (Wasserman,
 * Ramdas and Balakrishnan 2020, PNAS 117:16880). So a canary of clusters that fail more often with any version is no evidence.
 * Looks are the moments at which an upgrade's horizon passes.
 */
function failureEvidence(
  runs: readonly RolloutRun[],
  policy: RolloutPolicy,
  lookMs: number,
  needed: number,
): SignalEvidence {
  const { horizonMs } = policy
  const due = runs
    .flatMap((run) => {
      const failed = run.startedMs + horizonMs > lookMs ? undefined : isFailure(run, horizonMs)
      return failed === undefined ? [] : [{ ...run, failed }]
    })
    .sort((a, b) => a.startedMs - b.startedMs)
  const strata = new Map<string, TwoTallies>()
  const together = noTallies()
  // Of the strata: logarithms of mixtures, and of the largest likelihoods.
  let [mixtures, bests, factor] = [0, 0, 1]
  let sinceMs: number | undefined
  due.forEach(({ stratum, isCanary, failed, startedMs }, i) => {
    const own = strata.get(stratum) ?? noTallies()
    strata.set(stratum, own)
    const before = hasBoth(own) ? own : undefined
    mixtures -= before === undefined ? 0 : logMixtureOf(before)
    bests -= before === undefined ? 0 : logBestOf(before)
    tally(own, isCanary, failed)
    if (before !== undefined) tally(together, isCanary, failed)
    // A stratum counts from its first member of the second group on, with all before: the order of arrivals says nothing about outcomes.
    else if (hasBoth(own)) addTo(together, own)
    if (hasBoth(own)) {
      mixtures += logMixtureOf(own)
      bests += logBestOf(own)
    }
    if (due[i + 1]?.startedMs === startedMs) return
    const now = (Math.exp(logMixtureOf(together) - bests) + Math.exp(mixtures - bests)) / 2
    factor = Math.max(factor, now)
    if (now >= needed) sinceMs ??= startedMs + horizonMs
  })
  const compared = due.filter(({ stratum }) => hasBoth(strata.get(stratum)!))
  const isCounted = ({ failed }: { readonly failed: boolean }): boolean => failed
  const state = sinceMs !== undefined ? 'worse' : compared.length === 0 ? 'none' : 'open'
  const found = strataOf(compared, isCounted)
  const effect = oddsEffect(found.map(({ canary, baseline }) => ({ first: canary, second: baseline })))
  const evidence: SignalEvidence = {
    ...{ signal: 'failures', state, factor, needed },
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(state === 'none' ? { reason: 'No stratum has upgrades of both groups whose horizon has passed.' } : {}),
    canary: countOf(compared, true, isCounted),
    baseline: countOf(compared, false, isCounted),
    ...(effect === undefined ? {} : { effect }),
    strata: found,
    counted: countedOf(due.filter(({ isCanary, failed }) => isCanary && failed)),
  }
  return withThreshold(evidence, policy)
}

interface Tally {
  count: number
  of: number
}

interface TwoTallies extends TwoCounts {
  readonly canary: Tally
  readonly baseline: Tally
}

function noTallies(): TwoTallies {
  return { canary: { count: 0, of: 0 }, baseline: { count: 0, of: 0 } }
}

function hasBoth({ canary, baseline }: TwoCounts): boolean {
  return canary.of > 0 && baseline.of > 0
}

function tally({ canary, baseline }: TwoTallies, isCanary: boolean, isCounted: boolean): void {
  const own = isCanary ? canary : baseline
  own.of++
  if (isCounted) own.count++
}

function addTo(sum: TwoTallies, { canary, baseline }: TwoCounts): void {
  sum.canary.count += canary.count
  sum.canary.of += canary.of
  sum.baseline.count += baseline.count
  sum.baseline.of += baseline.of
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
