import type { OpenUpgradeItem } from '../../contract/now.ts'
import { countOf } from './format-number.ts'
import { formatAge } from './format-time.ts'
import { operatorName } from './operator-words.ts'

/** Upgrades in words. Pure. */

/** Empty for HCO, which most of them are of. */
export function operatorWords(operator: OpenUpgradeItem['operator']): string {
  return operator === 'kubevirt-hyperconverged' ? '' : operatorName(operator)
}

const LEARNED_FROM: Readonly<Record<NonNullable<OpenUpgradeItem['baseline']>['learnedFrom'], string>> = {
  edge: 'this edge',
  minor: 'edges between the same minors',
  fleet: 'all upgrades here',
  seed: 'the rule for what nothing is learned of',
}

/** What is usual, and by what that is known: `usually 2 min, at most 4 min, by 10 runs of this edge`. */
export function baselineWords(baseline: OpenUpgradeItem['baseline']): string {
  if (baseline === null) return 'measured by the rule for what nothing is learned of'
  const { p50Seconds, thresholdSeconds, learnedFrom, runs, perWave } = baseline
  const most = `at most ${formatAge(thresholdSeconds * 1000)}${perWave ? ' a wave' : ''}`
  if (learnedFrom === 'seed') return `${most}, by ${LEARNED_FROM.seed}`
  const by = learnedFrom === 'edge' ? `${countOf(runs, 'run')} of ${LEARNED_FROM.edge}` : LEARNED_FROM[learnedFrom]
  return `usually ${formatAge(p50Seconds * 1000)}, ${most}, by ${by}`
}
