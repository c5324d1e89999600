import type { OpenUpgradeItem } from '../../contract/now.ts'
import { countOf } from './format-number.ts'
import { formatLength, formatAge } from './format-time.ts'
import { operatorName } from './fleet-names.ts'

/** Texts about upgrades. Pure. */

/** Empty for HCO, the most frequent. */
export function operatorWords(operator: OpenUpgradeItem['operator']): string {
  return operator === 'kubevirt-hyperconverged' ? '' : operatorName(operator)
}

const LEARNED_FROM: Readonly<Record<NonNullable<OpenUpgradeItem['baseline']>['learnedFrom'], string>> = {
  edge: 'on this path',
  minor: 'upgrades between the same minor versions',
  fleet: 'all upgrades of the fleet',
  seed: 'fixed limit, not learned from upgrades',
}

type Baseline = NonNullable<OpenUpgradeItem['baseline']>

/** The typical duration and its source: `typical 2 min, limit 4 min (10 upgrades on this path)`. */
export function baselineWords(baseline: OpenUpgradeItem['baseline']): string {
  if (baseline === null) return 'fixed limit, not learned from upgrades'
  const { p50Seconds, thresholdSeconds, perWave } = baseline
  const most = `limit ${formatAge(thresholdSeconds * 1000)}${perWave ? ' per wave' : ''}`
  return isLearned(baseline)
    ? `typical ${formatAge(p50Seconds * 1000)}, ${most}${learnedWords(baseline)}`
    : `${most}${learnedWords(baseline)}`
}

/** Longer: the typical time without progress in the phase, and the threshold of a stuck upgrade. */
export function stillWords(baseline: Baseline): string {
  const { p50Seconds, p95Seconds, thresholdSeconds, perWave } = baseline
  const stuck = `Considered stuck after ${formatLength(thresholdSeconds)}${perWave ? ' per wave' : ''}`
  if (!isLearned(baseline)) return `${stuck}${learnedWords(baseline)}.`
  const usual = `Typical time without progress: p50 ${formatLength(p50Seconds)}, p95 ${formatLength(p95Seconds)}${learnedWords(baseline)}`
  return `${usual}. ${stuck}.`
}

/** The seed baseline of approvals and VMs is not learned from upgrades. */
function isLearned({ learnedFrom }: Baseline): boolean {
  return learnedFrom !== 'seed'
}

function learnedWords({ learnedFrom, runs }: Baseline): string {
  return ` (${learnedFrom === 'edge' ? `${countOf(runs, 'upgrade')} ${LEARNED_FROM.edge}` : LEARNED_FROM[learnedFrom]})`
}
