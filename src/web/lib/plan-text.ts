import type { ClusterPlanItem, PlanAnswer, PlanStepItem } from '../../contract/fleet-plans.ts'
import type { PlanOutcome } from '../../model/plan.ts'
import { countOf } from './format-number.ts'
import { formatShortLength } from './format-time.ts'

/** Texts of a plan. Pure. */

export const OUTCOME_WORDS: Readonly<Record<PlanOutcome, string>> = {
  path: 'with a path to the target',
  finish: 'with steps of an earlier plan left',
  at_target: 'at the target',
  target_older: 'newer than the target',
  no_path: 'without a supported path',
  unknown: 'with unknown versions',
}

/** `11 clusters with a path to the target, 1 at the target`. */
export function outcomesText({ outcomes }: Pick<PlanAnswer, 'outcomes'>): string {
  return Object.entries(OUTCOME_WORDS)
    .flatMap(([outcome, words]) => {
      const count = outcomes[outcome] ?? 0
      return count === 0 ? [] : [`${count} ${words}`]
    })
    .join(', ')
}

/** `p50 2 h 10 min, p90 4 h`. */
export function windowText({ p50Seconds, p90Seconds }: ClusterPlanItem['total'] | PlanStepItem['window']): string {
  if (p50Seconds === null && p90Seconds === null) return 'longer than observed'
  return `p50 ${lengthText(p50Seconds)}, p90 ${lengthText(p90Seconds)}`
}

function lengthText(seconds: number | null): string {
  return seconds === null ? 'longer than observed' : formatShortLength(seconds)
}

export function stepWindowText({ window }: PlanStepItem): string {
  if (window.source === 'none') return 'not counted'
  return window.source === 'unknown' ? 'duration unknown' : windowText(window)
}

export function totalText({ total, steps }: ClusterPlanItem): string {
  if (steps.length === 0) return ''
  if (total.unknownSteps === 0) return windowText(total)
  const isAnyKnown = total.p50Seconds !== null && total.p50Seconds > 0
  const unknown = `${countOf(total.unknownSteps, 'step')} unknown`
  return isAnyKnown ? `at least ${windowText(total)}; ${unknown}` : unknown
}
