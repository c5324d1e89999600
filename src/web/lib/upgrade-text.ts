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
  edge: 'this edge',
  minor: 'edges between the same minors',
  fleet: 'all upgrades here',
  seed: 'the rule for what nothing is learned of',
}

type Baseline = NonNullable<OpenUpgradeItem['baseline']>

/** The typical duration and its source: `usually 2 min, at most 4 min, by 10 runs of this edge`. */
export function baselineWords(baseline: OpenUpgradeItem['baseline']): string {
  if (baseline === null) return 'measured by the rule for what nothing is learned of'
  const { p50Seconds, thresholdSeconds, perWave } = baseline
  const most = `at most ${formatAge(thresholdSeconds * 1000)}${perWave ? ' a wave' : ''}`
  return isLearned(baseline)
    ? `usually ${formatAge(p50Seconds * 1000)}, ${most}, ${learnedWords(baseline)}`
    : `${most}, ${learnedWords(baseline)}`
}

/** Longer: the typical time without progress in the phase, and the threshold of a stuck upgrade. */
export function stillWords(baseline: Baseline): string {
  const { p50Seconds, p95Seconds, thresholdSeconds, perWave } = baseline
  const stuck = `stuck after ${formatLength(thresholdSeconds)}${perWave ? ' in a wave' : ''} without progress`
  if (!isLearned(baseline)) return `${stuck}, ${learnedWords(baseline)}`
  const usual = `half stand still for ${formatLength(p50Seconds)} at most, 95 of 100 for ${formatLength(p95Seconds)}`
  return `${usual}; ${stuck}; ${learnedWords(baseline)}`
}

/** The seed baseline of approvals and VMs is not learned from upgrades. */
function isLearned({ learnedFrom }: Baseline): boolean {
  return learnedFrom !== 'seed'
}

function learnedWords({ learnedFrom, runs }: Baseline): string {
  return `by ${learnedFrom === 'edge' ? `${countOf(runs, 'run')} of ${LEARNED_FROM.edge}` : LEARNED_FROM[learnedFrom]}`
}
