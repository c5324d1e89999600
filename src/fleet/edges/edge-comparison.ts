/** Compares two edges: whether one succeeds more often, and whether it is faster. Too few runs give no verdict. */
import type { EdgeFacts } from '../../model/stuck.ts'
import type { PhaseName } from '../../model/upgrade.ts'
import { phaseDurations, wholeDurations, type EdgeRun } from './edges.ts'
import type { Durations } from '../statistics/durations.ts'
import { logRankTest } from '../statistics/log-rank.ts'
import { newcombeInterval } from '../statistics/wilson.ts'

/** With fewer ended runs on either edge there is no verdict; 0 of 10 is still compatible with a rate of 25 %. */
export const COMPARED_RUNS_MIN = 10
/** The p-value below which a difference is significant. */
const SIGNIFICANT = 0.05

/** Of the first edge against the second. `moreNeeded`: ended runs that are missing, on both edges together. */
export type ComparisonVerdict<Better extends string, Worse extends string> =
  | { readonly verdict: Better | Worse | 'no_difference' }
  | { readonly verdict: 'insufficient_data'; readonly moreNeeded: number }

export type SuccessComparison = ComparisonVerdict<'better', 'worse'> & {
  /** Of the success rates, with Newcombe's 95 % interval; absent: an edge has no ended runs. */
  readonly difference?: { readonly difference: number; readonly low: number; readonly high: number }
}

export type DurationComparison = ComparisonVerdict<'faster', 'slower'> & {
  /** Of the log-rank test; absent: the test is undefined. */
  readonly pValue?: number
  readonly chiSquare?: number
}

export interface EdgeComparison {
  readonly first: EdgeFacts
  readonly second: EdgeFacts
  readonly success: SuccessComparison
  readonly duration: DurationComparison
  /** Phases on both edges. */
  readonly phases: readonly ({ readonly phase: PhaseName } & DurationComparison)[]
}

/** An edge with the runs from which it was estimated. */
export interface EdgeWithRuns {
  readonly facts: EdgeFacts
  readonly runs: readonly EdgeRun[]
}

export function compareEdges(first: EdgeWithRuns, second: EdgeWithRuns): EdgeComparison {
  const [firstPhases, secondPhases] = [phaseDurations(first.runs), phaseDurations(second.runs)]
  return {
    first: first.facts,
    second: second.facts,
    success: compareSuccess(first.facts, second.facts),
    duration: compareDurations(wholeDurations(first.runs), wholeDurations(second.runs)),
    phases: [...firstPhases].flatMap(([phase, durations]) => {
      const others = secondPhases.get(phase)
      return others === undefined ? [] : [{ phase, ...compareDurations(durations, others) }]
    }),
  }
}

function compareSuccess({ success: first }: EdgeFacts, { success: second }: EdgeFacts): SuccessComparison {
  const moreNeeded = missing(first?.of ?? 0, second?.of ?? 0)
  const difference = first === undefined || second === undefined ? undefined : newcombeInterval(first, second)
  if (difference === undefined) return { verdict: 'insufficient_data', moreNeeded }
  if (moreNeeded > 0) return { verdict: 'insufficient_data', moreNeeded, difference }
  const verdict = difference.low > 0 ? 'better' : difference.high < 0 ? 'worse' : 'no_difference'
  return { verdict, difference }
}

function compareDurations(first: Durations, second: Durations): DurationComparison {
  const moreNeeded = missing(first.finished.length, second.finished.length)
  const test = logRankTest(first, second)
  const tested = test === undefined ? {} : { pValue: test.pValue, chiSquare: test.chiSquare }
  if (moreNeeded > 0) return { verdict: 'insufficient_data', moreNeeded, ...tested }
  if (test === undefined || test.pValue >= SIGNIFICANT) return { verdict: 'no_difference', ...tested }
  return { verdict: test.finished > test.expected ? 'faster' : 'slower', ...tested }
}

function missing(first: number, second: number): number {
  return Math.max(0, COMPARED_RUNS_MIN - first) + Math.max(0, COMPARED_RUNS_MIN - second)
}
