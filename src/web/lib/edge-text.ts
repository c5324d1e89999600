import type { EdgeComparisonItem, EdgeItem } from '../../contract/fleet-edges.ts'
import { phaseName } from './fleet-names.ts'
import { countOf, formatCount } from './format-number.ts'
import type { StrandedItem } from '../../contract/fleet-stranded.ts'

/** Edges and their comparison in sentences. Pure. */

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
    return `Not enough upgrades to compare the success rates of ${one} and ${other}: ${neededText(moreNeeded)}.`
  const interval =
    difference === null ? '' : ` (95 % interval ${signed(difference.low)} to ${signed(difference.high)} points)`
  if (verdict === 'no_difference')
    return `No significant difference between the success rates of ${one} and ${other}${interval}.`
  const by = difference === null ? '' : ` by ${points(difference.difference)}`
  return `The success rate of ${one} is ${verdict === 'better' ? 'higher' : 'lower'} than that of ${other}${by}${interval}.`
}

export function durationSentence({ first, second, duration }: EdgeComparisonItem): string {
  return timeSentence(edgeName(first), edgeName(second), duration)
}

export function phaseSentence(phase: EdgeComparisonItem['phases'][number]): string {
  const name = phaseName(phase.phase)
  const test = testText(phase)
  if (phase.verdict === 'insufficient_data') return `${name}: not enough upgrades, ${neededText(phase.moreNeeded)}.`
  if (phase.verdict === 'no_difference') return `${name}: no significant difference${test}.`
  return `${name}: ${phase.verdict}${test}.`
}

function timeSentence(one: string, other: string, duration: EdgeComparisonItem['duration']): string {
  const { verdict, moreNeeded } = duration
  if (verdict === 'insufficient_data') return `Not enough upgrades to compare the durations: ${neededText(moreNeeded)}.`
  if (verdict === 'no_difference') return `No significant difference between the durations${testText(duration)}.`
  return `${one} is ${verdict} than ${other}${testText(duration)}.`
}

function testText({ pValue }: Pick<EdgeComparisonItem['duration'], 'pValue'>): string {
  return pValue === null ? '' : ` (log-rank test, p ${pValue < 0.001 ? '< 0.001' : `= ${pValue.toFixed(3)}`})`
}

function neededText(moreNeeded: number): string {
  return moreNeeded > 0 ? `${countOf(moreNeeded, 'more ended upgrade')} needed` : 'more ended upgrades needed'
}

/** `93.3 % of 300 (90.0 % to 98.3 %)`. */
export function successText({ success }: Pick<EdgeItem, 'success'>): string {
  if (success === null) return 'none ended'
  return `${percent(success.share)} of ${formatCount(success.of)} (${intervalText(success)})`
}

/** `90.0 % to 98.3 %`: the confidence interval of a success rate. */
export function intervalText({ low, high }: NonNullable<EdgeItem['success']>): string {
  return `${percent(low)} to ${percent(high)}`
}

/** Why a version is stranded, and what to check. */
export function strandedSentence(item: StrandedItem): string {
  const { version, reason, endedLately, newest } = item
  switch (reason) {
    case 'failing':
      return `${countOf(endedLately, 'upgrade')} from ${version} ended in the last 90 days, and none succeeded: check what blocked them.`
    case 'never_left':
      return `No upgrade from ${version} has been observed, although other clusters run ${newest}: a direct upgrade path may not exist.`
    case 'not_lately':
      return `No upgrade from ${version} in the last 90 days: the upgrade path may have been removed from the channel.`
    case 'not_offered':
      return `Other clusters upgrade from ${version}, but OLM offers these clusters no update: check for a stale mirror or a pinned catalog.`
  }
}

export const STRANDED_WORDS: Readonly<Record<StrandedItem['reason'], string>> = {
  failing: 'all upgrades fail',
  never_left: 'no upgrade observed',
  not_lately: 'no recent upgrade',
  not_offered: 'no update offered',
}

/** `3 of 12 clusters` that run the version. */
export function strandedCount({ clusters, population }: Pick<StrandedItem, 'clusters' | 'population'>): string {
  return clusters === population
    ? `${population > 1 ? 'all ' : ''}${countOf(population, 'cluster')}`
    : `${formatCount(clusters)} of ${countOf(population, 'cluster')}`
}

/** Edges of HCO that lead to a stranded version or away from it. */
export function strandedEdges(edges: readonly EdgeItem[], stranded: readonly StrandedItem[] = []): EdgeItem[] {
  const versions = new Set(stranded.map(({ version }) => version))
  return edges.filter(
    ({ operator, from, to }) => operator === 'kubevirt-hyperconverged' && (versions.has(from) || versions.has(to)),
  )
}
