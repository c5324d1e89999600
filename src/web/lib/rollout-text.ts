import type { PhaseChangeItem, RolloutItem, SignalItem } from '../../contract/fleet-rollouts.ts'
import { ROLLOUT_SIGNALS } from '../../model/rollout-verdict.ts'
import { UPGRADE_OPERATORS } from '../../model/upgrade.ts'
import { phaseName } from './fleet-names.ts'
import { countOf, formatCount } from './format-number.ts'
import { choiceField, textField, viewCodec, type ViewOf } from './view-codec.ts'

/** Words for verdicts on rollouts. Pure. */

interface Words {
  readonly name: string
  readonly meaning: string
}

/** What to do comes first. */
export const ROLLOUT_WORDS: Readonly<Record<RolloutItem['decision'], Words>> = {
  proceed: { name: 'Proceed', meaning: 'The other clusters may follow.' },
  hold: { name: 'Hold', meaning: 'Do not upgrade further clusters: those that upgraded are proved to be worse.' },
  insufficient: {
    name: 'Insufficient',
    meaning: 'Wait: it is proved neither that the version is safe nor that it is worse.',
  },
  not_comparable: { name: 'Not comparable', meaning: 'No verdict: there is nothing to compare with.' },
}

export const SIGNAL_NAMES: Readonly<Record<SignalItem['signal'], Words>> = {
  failures: {
    name: 'Failures',
    meaning: 'Failed upgrades, beside those of other versions since 90 days before the first, on similar clusters.',
  },
  failures_concurrent: {
    name: 'Failures, same day',
    meaning: 'Failed upgrades, beside those of other versions that started on the same day on similar clusters.',
  },
  duration: {
    name: 'Duration',
    meaning: 'Upgrades that are slower than half of all, on similar clusters of the same day.',
  },
  alerts: { name: 'Alerts', meaning: 'Clusters with more critical and warning alerts after the upgrade than before.' },
  modifications: {
    name: 'Out-of-band modifications',
    meaning: 'Clusters with more out-of-band modifications after the upgrade than before.',
  },
}

export const ROLLOUTS_VIEW = viewCodec({
  operator: choiceField('operator', UPGRADE_OPERATORS),
})

/** Which upgrades are the canary, and the signal whose clusters are shown. */
export const ROLLOUT_VIEW = viewCodec({
  operator: choiceField('operator', UPGRADE_OPERATORS),
  first: textField('first'),
  channel: textField('channel'),
  platform: textField('platform'),
  region: textField('region'),
  environment: textField('environment'),
  text: textField('text'),
  cluster: textField('cluster'),
  signal: choiceField('signal', ['', ...ROLLOUT_SIGNALS]),
})
export type CohortView = Omit<ViewOf<typeof ROLLOUT_VIEW>, 'signal'>

/** For `insufficient`: how many more upgrades, and about how long that takes. For the others the reason. */
export function whatIsNeeded({ decision, reason, canariesNeeded, daysNeeded }: RolloutItem): string {
  if (decision !== 'insufficient') return reason === null ? '' : namedSignals(reason)
  if (canariesNeeded === null) return 'Too many upgrades failed: no number of upgrades like those until now is enough.'
  const days = daysNeeded === null ? '' : `, about ${countOf(Math.ceil(daysNeeded), 'day')} at the present rate`
  return `Needs ${countOf(canariesNeeded, 'more upgrade')} like those until now${days}.`
}

/** Names of signals as the page has them. */
function namedSignals(reason: string): string {
  return reason.replace(/^Worse: (.*)\.$/, (_, names: string) => {
    const words = names.split(', ').map((name) => {
      const signal = ROLLOUT_SIGNALS.find((one) => one === name)
      return signal === undefined ? name : SIGNAL_NAMES[signal].name
    })
    return `Worse: ${words.join('; ')}.`
  })
}

export function percentOf(share: number): string {
  const percent = share * 100
  return `${percent >= 10 || percent === 0 ? Math.round(percent) : Number(percent.toPrecision(2))} %`
}

/** `3 of 40 (7.5 %)`. */
export function shareText({ count, of }: { readonly count: number; readonly of: number }): string {
  return of === 0 ? '0 of 0' : `${formatCount(count)} of ${formatCount(of)} (${percentOf(count / of)})`
}

const EVIDENCE_SHOWN_MAX = 100_000

export function evidenceText({ state, factor, needed }: SignalItem): string {
  if (state === 'none') return '–'
  const shown = factor > EVIDENCE_SHOWN_MAX ? 'over 100 000' : factor < 10 ? factor.toFixed(1) : Math.round(factor)
  return `${shown} of ${Math.round(needed)}`
}

/** `1.8 (1.2 to 2.7)`; an open end is `…`. */
export function ratioText(ratio: PhaseChangeItem['ratio']): string {
  if (ratio === null) return 'not known'
  const of = (value: number | null): string => (value === null ? '…' : value >= 100 ? '> 100' : value.toPrecision(2))
  return `${ratio.value === null ? 'no limit' : of(ratio.value)} (${of(ratio.low)} to ${of(ratio.high)})`
}

export function phaseChangeName(phase: string): string {
  return phase === 'upgrade' ? 'Whole upgrade' : phaseName(phase)
}

/** The same as the page shows, for a shell. */
export function verdictCommand(version: string, cohort: CohortView): string {
  const options = Object.entries(cohort).flatMap(([name, value]) => {
    if (value === '' || value === ROLLOUTS_VIEW.initial.operator) return []
    return [`--${name} ${/^[\w.-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`]
  })
  return ['daytwo verdict', version, ...options].join(' ')
}
