/**
 * How the occurrences of an alert ended: by cause, times to acknowledge and to resolve, and which steps helped. Times are
 * estimated with alerts that nobody has acknowledged, or that are firing, as observed until their end or until now. Pure.
 */
import { END_CAUSES, type EndCause, type RunbookRevision, type RunbookStep } from '../../model/runbook-work.ts'
import { durationsOf } from '../statistics/durations.ts'
import { medianInterval, survivalCurve, survivalQuantile } from '../statistics/kaplan-meier.ts'
import { wilsonInterval } from '../statistics/wilson.ts'
import type { OutcomeRun } from './outcome-runs.ts'

/** Seconds. A quantile is absent when too few of the times are complete. */
export interface TimeSummary {
  /** Complete times, of all. */
  readonly complete: number
  readonly of: number
  readonly p50Seconds?: number
  readonly p90Seconds?: number
  /** Of the median, 95 %; a bound that the data does not give is absent. */
  readonly p50Low?: number
  readonly p50High?: number
}

export interface OutcomeSummary {
  readonly runs: number
  readonly firing: number
  /** With at least one entry of work. */
  readonly worked: number
  readonly ended: Readonly<Record<EndCause, number>>
  /** Of those that ended: by a person's statement. */
  readonly stated: number
  readonly acknowledge: TimeSummary
  readonly resolve: TimeSummary
}

export function summaryOf(runs: readonly OutcomeRun[], nowMs: number): OutcomeSummary {
  const ended = Object.fromEntries(
    END_CAUSES.map((cause) => [cause, runs.filter(({ end }) => end?.cause === cause).length]),
  ) as Record<EndCause, number>
  return {
    runs: runs.length,
    firing: runs.filter(({ end }) => end === undefined).length,
    worked: runs.filter(({ entries }) => entries.length > 0).length,
    ended,
    stated: runs.filter(({ end }) => end?.isStated === true).length,
    acknowledge: timesOf(runs, ({ acknowledged }) => acknowledged?.atMs, nowMs),
    resolve: timesOf(runs, ({ run }) => run.resolvedAtMs, nowMs),
  }
}

/** @param endOf absent: observed until the end of the alert, or until now */
function timesOf(
  runs: readonly OutcomeRun[],
  endOf: (run: OutcomeRun) => number | undefined,
  nowMs: number,
): TimeSummary {
  const complete: number[] = []
  const censored: number[] = []
  for (const one of runs) {
    const { firedAtMs, resolvedAtMs = nowMs } = one.run
    const endMs = endOf(one)
    const seconds = Math.max(0, (endMs ?? resolvedAtMs) - firedAtMs) / 1000
    ;(endMs === undefined ? censored : complete).push(seconds)
  }
  const curve = survivalCurve(durationsOf(complete, censored))
  const [p50, p90] = [survivalQuantile(curve, 0.5), survivalQuantile(curve, 0.9)]
  const { low, high } = medianInterval(curve)
  return {
    complete: complete.length,
    of: runs.length,
    ...(p50 === undefined ? {} : { p50Seconds: p50 }),
    ...(p90 === undefined ? {} : { p90Seconds: p90 }),
    ...(p50 === undefined || low === undefined ? {} : { p50Low: low }),
    ...(p50 === undefined || high === undefined ? {} : { p50High: high }),
  }
}

export interface StepOutcome extends RunbookStep {
  /** A step of the newest revision; others were removed or rewritten. */
  readonly isCurrent: boolean
  /** Occurrences with recorded work under a revision with this step. */
  readonly of: number
  /** In these: ticked, or marked without a tick. */
  readonly ticked: number
  /** Marked as the fix or, in Diagnosis, as what found the cause. */
  readonly helped: number
  /** Share of `helped` in `ticked`, 95 %; absent without a tick. */
  readonly interval?: { readonly low: number; readonly high: number }
}

/** Steps that never helped are first, those with the most ticks before others; steps without recorded work are last. */
export function stepOutcomes(
  runs: readonly OutcomeRun[],
  revisions: readonly RunbookRevision[],
): readonly StepOutcome[] {
  const newest = revisions.at(-1)
  const current = new Set(newest?.steps.map(({ key }) => key))
  const keysOf = new Map(revisions.map(({ revision, steps }) => [revision, new Set(steps.map(({ key }) => key))]))
  const worked = runs.filter(({ entries }) => entries.length > 0)
  const byKey = new Map(revisions.flatMap(({ steps }) => steps).map((step) => [step.key, step]))
  const outcomes = [...byKey.values()].map((step): StepOutcome => {
    const own = worked.filter(({ revision, work }) => {
      return work.steps.has(step.key) || keysOf.get(revision ?? '')?.has(step.key) === true
    })
    const ticked = own.filter(({ work }) => work.steps.has(step.key)).length
    const helped = own.filter(({ work }) => work.steps.get(step.key)?.helped !== undefined).length
    const { low, high } = ticked === 0 ? { low: 0, high: 1 } : wilsonInterval(helped, ticked)
    return {
      ...step,
      ...{ isCurrent: current.has(step.key), of: own.length, ticked, helped },
      ...(ticked === 0 ? {} : { interval: { low, high } }),
    }
  })
  return outcomes
    .filter(({ isCurrent, ticked }) => isCurrent || ticked > 0)
    .sort((a, b) => rankOf(a) - rankOf(b) || shareOf(a) - shareOf(b) || b.ticked - a.ticked)
}

function rankOf({ isCurrent, of }: StepOutcome): number {
  return (isCurrent ? 0 : 2) + (of === 0 ? 1 : 0)
}

function shareOf({ helped, ticked }: StepOutcome): number {
  return ticked === 0 ? 0 : helped / ticked
}

export interface RevisionOutcome {
  /** Absent: occurrences from before the first recorded revision. */
  readonly revision?: string
  readonly fromMs?: number
  readonly summary: OutcomeSummary
}

/** Newest revision first; a text that was in use several times is one revision, from its last use. */
export function revisionOutcomes(
  runs: readonly OutcomeRun[],
  revisions: readonly RunbookRevision[],
  nowMs: number,
): readonly RevisionOutcome[] {
  const fromMs = new Map(revisions.map((one) => [one.revision, one.fromMs]))
  const known = [...fromMs].sort((a, b) => b[1] - a[1])
  const of = (revision: string | undefined) => runs.filter((run) => run.revision === revision)
  const others = runs.filter(({ revision }) => revision === undefined || !fromMs.has(revision))
  return [
    ...known.map(([revision, since]) => ({ revision, fromMs: since, summary: summaryOf(of(revision), nowMs) })),
    ...(others.length === 0 ? [] : [{ summary: summaryOf(others, nowMs) }]),
  ]
}
