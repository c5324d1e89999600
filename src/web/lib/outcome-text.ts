import type { AlertEnd, OutcomesAnswer, OutcomeSummaryItem, Times } from '../../contract/runbook-work.ts'
import { countOf, formatCount } from './format-number.ts'
import { formatShortLength } from './format-time.ts'

/** Outcomes of alerts in words: each number with its denominator. Pure. */

export const CAUSES = ['fix', 'upgrade_ended', 'by_itself', 'unknown'] as const
type Cause = (typeof CAUSES)[number]

export const CAUSE_TEXTS: Readonly<Record<Cause, string>> = {
  fix: 'a fix',
  upgrade_ended: 'the end of the upgrade',
  by_itself: 'no intervention',
  unknown: 'unknown',
}

/** `a fix (derived)`. */
export function endText({ cause, isStated }: Pick<AlertEnd, 'cause' | 'isStated'>): string {
  return `${CAUSE_TEXTS[cause]} (${isStated ? 'stated' : 'derived'})`
}

/** `4 min`; without enough complete times a dash. */
export function quantileText(seconds: number | null): string {
  return seconds === null ? '–' : formatShortLength(seconds)
}

/** `p50 4 min, p90 20 min; 5 of 7`. */
export function timesText({ complete, of, p50Seconds, p90Seconds }: Times): string {
  if (of === 0) return 'none'
  return `p50 ${quantileText(p50Seconds)}, p90 ${quantileText(p90Seconds)}; ${formatCount(complete)} of ${formatCount(of)}`
}

/** On hover: how sure the median is. */
export function timesTitle({ complete, of, p50Low, p50High }: Times): string {
  const interval =
    p50Low === null && p50High === null
      ? 'Too few complete times for an interval of the median.'
      : `95 % interval of the median: ${quantileText(p50Low)} to ${p50High === null ? 'open' : quantileText(p50High)}.`
  return `${formatCount(complete)} of ${formatCount(of)} times are complete; the others count as observed until now. ${interval}`
}

/** `a fix 5, no intervention 1, unknown 1 (of 7 that ended)`. */
export function endedText({ ended, runs, firing }: OutcomeSummaryItem): string {
  const over = runs - firing
  if (over === 0) return 'none has ended'
  const parts = CAUSES.flatMap((cause) =>
    ended[cause] === 0 ? [] : [`${CAUSE_TEXTS[cause]} ${formatCount(ended[cause])}`],
  )
  return `${parts.join(', ')} (of ${formatCount(over)} that ended)`
}

export interface WorkingStep {
  readonly key: string
  readonly text: string
  readonly helped: number
  readonly ticked: number
}

/** Mitigation steps that fixed the alert, the most frequent first. */
export function workingSteps({ steps }: Pick<OutcomesAnswer, 'steps'>): readonly WorkingStep[] {
  return steps
    .filter(({ section, helped }) => section === 'mitigation' && helped > 0)
    .toSorted((a, b) => b.helped - a.helped || a.ticked - b.ticked)
}

/** Steps that were ticked and never helped. */
export function uselessSteps({ steps }: Pick<OutcomesAnswer, 'steps'>): readonly WorkingStep[] {
  return steps.filter(({ isCurrent, ticked, helped }) => isCurrent && ticked > 0 && helped === 0)
}

/** Evidence for a suggested edit: names no cluster. */
export function evidenceLines(outcomes: OutcomesAnswer): readonly string[] {
  const { runs, worked } = outcomes.summary
  if (runs === 0) return []
  const days = Math.round((outcomes.asOfMs - outcomes.fromMs) / 86_400_000)
  return [
    `In ${days} days: ${countOf(runs, 'occurrence')}, ${formatCount(worked)} with recorded work. Ended by: ${endedText(outcomes.summary)}.`,
    ...workingSteps(outcomes)
      .slice(0, 3)
      .map(({ text, helped, ticked }) => `Fixed ${formatCount(helped)} of ${formatCount(ticked)}: ${text}`),
    ...uselessSteps(outcomes)
      .slice(0, 5)
      .map(({ text, ticked }) => `Never helped, ticked ${formatCount(ticked)} times: ${text}`),
  ]
}
