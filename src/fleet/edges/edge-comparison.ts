/** Two edges beside each other: whether one succeeds more often, and whether it is faster. Few runs tell nothing. */
import type { EdgeFacts } from '../../model/stuck.ts'
import type { PhaseName } from '../../model/upgrade.ts'
import { phaseDurations, wholeDurations } from './edges.ts'
import type { EdgeRun } from './edges.ts'
import type { Durations } from '../statistics/durations.ts'
import { logRankTest } from '../statistics/log-rank.ts'
import { newcombeInterval } from '../statistics/wilson.ts'

/** Below this many ended runs on either edge there is no verdict; nought of ten is still compatible with a quarter. */
export const COMPARED_RUNS_MIN = 10
/** Probability below which a difference is believed. */
const SIGNIFICANT = 0.05

/** Of the first against the second. `moreNeeded`: ended runs that are missing, on both edges together. */
export type ComparisonVerdict<Better extends string, Worse extends string> =
  | { readonly verdict: Better | Worse | 'no_difference' }
  | { readonly verdict: 'insufficient_data'; readonly moreNeeded: number }

export type SuccessComparison = ComparisonVerdict<'better', 'worse'> & {
  /** Of the shares that succeeded, with Newcombe's 95 % interval; absent: an edge on which none ended. */
  readonly difference?: { readonly difference: number; readonly low: number; readonly high: number }
}

export type DurationComparison = ComparisonVerdict<'faster', 'slower'> & {
  /** Of the log-rank test; absent: nothing to tell by. */
  readonly pValue?: number
  readonly chiSquare?: number
}

export interface EdgeComparison {
  readonly first: EdgeFacts
  readonly second: EdgeFacts
  readonly success: SuccessComparison
  readonly duration: DurationComparison
  /** Phases that both have. */
  readonly phases: readonly ({ readonly phase: PhaseName } & DurationComparison)[]
}

/** An edge with what it was estimated from. */
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
  const told = test === undefined ? {} : { pValue: test.pValue, chiSquare: test.chiSquare }
  if (moreNeeded > 0) return { verdict: 'insufficient_data', moreNeeded, ...told }
  if (test === undefined || test.pValue >= SIGNIFICANT) return { verdict: 'no_difference', ...told }
  return { verdict: test.finished > test.expected ? 'faster' : 'slower', ...told }
}

function missing(first: number, second: number): number {
  return Math.max(0, COMPARED_RUNS_MIN - first) + Math.max(0, COMPARED_RUNS_MIN - second)
}
