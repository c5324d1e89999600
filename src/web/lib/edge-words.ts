import type { EdgeComparisonItem, EdgeItem } from '../../contract/fleet-edges.ts'
import { phaseName } from './phase-words.ts'
import { countOf } from './format-number.ts'

/** What two edges beside each other say, in sentences. Pure. */

export function edgeName({ from, to }: Pick<EdgeItem, 'from' | 'to'>): string {
  return `${from} → ${to}`
}

/** `1.16.0..1.17.0`, as the API and the address name an edge of an operator. */
export function edgeKey({ from, to }: Pick<EdgeItem, 'from' | 'to'>): string {
  return `${from}..${to}`
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const points = (difference: number): string => `${(100 * Math.abs(difference)).toFixed(1)} points`
/** Bounds of a difference keep their sign. */
const signed = (difference: number): string => `${difference < 0 ? '−' : '+'}${(100 * Math.abs(difference)).toFixed(1)}`

export function successSentence({ first, second, success }: EdgeComparisonItem): string {
  const [one, other] = [edgeName(first), edgeName(second)]
  const { verdict, moreNeeded, difference } = success
  if (verdict === 'insufficient_data')
    return `Not enough runs to compare how often ${one} and ${other} succeed: ${neededText(moreNeeded)}.`
  const interval =
    difference === null ? '' : ` (95 % interval ${signed(difference.low)} to ${signed(difference.high)} points)`
  if (verdict === 'no_difference') return `No difference in how often ${one} and ${other} succeed is shown${interval}.`
  const by = difference === null ? '' : ` by ${points(difference.difference)}`
  return `${one} succeeds ${verdict === 'better' ? 'more' : 'less'} often than ${other}${by}${interval}.`
}

export function durationSentence({ first, second, duration }: EdgeComparisonItem): string {
  return timeSentence(edgeName(first), edgeName(second), duration)
}

export function phaseSentence(phase: EdgeComparisonItem['phases'][number]): string {
  const name = phaseName(phase.phase)
  const test = testText(phase)
  if (phase.verdict === 'insufficient_data') return `${name}: not enough runs, ${neededText(phase.moreNeeded)}.`
  if (phase.verdict === 'no_difference') return `${name}: no difference is shown${test}.`
  return `${name}: ${phase.verdict}${test}.`
}

function timeSentence(one: string, other: string, duration: EdgeComparisonItem['duration']): string {
  const { verdict, moreNeeded } = duration
  if (verdict === 'insufficient_data')
    return `Not enough runs to compare how long they take: ${neededText(moreNeeded)}.`
  if (verdict === 'no_difference') return `No difference in how long they take is shown${testText(duration)}.`
  return `${one} is ${verdict} than ${other}${testText(duration)}.`
}

function testText({ pValue }: Pick<EdgeComparisonItem['duration'], 'pValue'>): string {
  return pValue === null ? '' : ` (log-rank test, p ${pValue < 0.001 ? '< 0.001' : `= ${pValue.toFixed(3)}`})`
}

function neededText(moreNeeded: number): string {
  return moreNeeded > 0 ? `${countOf(moreNeeded, 'more ended run')} needed` : 'more ended runs are needed'
}

/** `93.3 % of 300, at least 90.0 %`. */
export function successText({ success }: Pick<EdgeItem, 'success'>): string {
  if (success === null) return 'none ended'
  return `${percent(success.share)} of ${success.of} (${percent(success.low)} to ${percent(success.high)})`
}
