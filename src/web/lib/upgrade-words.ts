import type { OpenUpgradeItem } from '../../contract/now.ts'
import { countOf } from './format-number.ts'
import { formatLength, formatAge } from './format-time.ts'
import { operatorName } from './fleet-names.ts'
import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'
import { isOpen } from './upgrade-bands.ts'

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

type Baseline = NonNullable<OpenUpgradeItem['baseline']>

/** What is usual, and by what that is known: `usually 2 min, at most 4 min, by 10 runs of this edge`. */
export function baselineWords(baseline: OpenUpgradeItem['baseline']): string {
  if (baseline === null) return 'measured by the rule for what nothing is learned of'
  const { p50Seconds, thresholdSeconds, perWave } = baseline
  const most = `at most ${formatAge(thresholdSeconds * 1000)}${perWave ? ' a wave' : ''}`
  return isLearned(baseline)
    ? `usually ${formatAge(p50Seconds * 1000)}, ${most}, ${learnedWords(baseline)}`
    : `${most}, ${learnedWords(baseline)}`
}

/** The same with its limits, where there is room: how long upgrades stand still in the phase, and from when on one is stuck. */
export function stillWords(baseline: Baseline): string {
  const { p50Seconds, p95Seconds, thresholdSeconds, perWave } = baseline
  const stuck = `stuck after ${formatLength(thresholdSeconds)}${perWave ? ' in a wave' : ''} without progress`
  if (!isLearned(baseline)) return `${stuck}, ${learnedWords(baseline)}`
  const usual = `half stand still for ${formatLength(p50Seconds)} at most, 95 of 100 for ${formatLength(p95Seconds)}`
  return `${usual}; ${stuck}; ${learnedWords(baseline)}`
}

/** Of approvals and machines nothing is learned, however many are known: the numbers of such a rule are nobody's. */
function isLearned({ learnedFrom }: Baseline): boolean {
  return learnedFrom !== 'seed'
}

function learnedWords({ learnedFrom, runs }: Baseline): string {
  return `by ${learnedFrom === 'edge' ? `${countOf(runs, 'run')} of ${LEARNED_FROM.edge}` : LEARNED_FROM[learnedFrom]}`
}

/** The time in which an upgrade ran, as far as it is known. Pure. */
export interface UpgradeWindow {
  readonly fromMs: number
  /** `undefined`: it still runs. Where the end is not known, the last moment that any of its phases tells of. */
  readonly toMs: number | undefined
  readonly isEndKnown: boolean
}

/** `undefined`: nobody knows when it began. */
export function upgradeWindow({ startedAt, endedAt, state, phases }: UpgradeItem): UpgradeWindow | undefined {
  if (startedAt === null) return undefined
  const fromMs = Date.parse(startedAt)
  if (endedAt !== null) return { fromMs, toMs: Date.parse(endedAt), isEndKnown: true }
  if (isOpen(state)) return { fromMs, toMs: undefined, isEndKnown: true }
  const told = phases.flatMap((phase) => [phase.startedAt, phase.endedAt]).filter((at) => at !== null)
  return { fromMs, toMs: Math.max(fromMs, ...told.map((at) => Date.parse(at))), isEndKnown: false }
}

/** Whether an upgrade has begun. Pure. */

/** It is offered, and nobody has approved it yet: it runs only in the sense that it has not ended. */
export function waitsForApproval({ state, startedAt, phases }: UpgradeItem): boolean {
  return (
    state === 'in_progress' &&
    startedAt === null &&
    phases.some((phase) => phase.name === 'approval' && phase.state === 'in_progress')
  )
}

/** What stands where its beginning would. */
export function noStartText(upgrade: UpgradeItem): string {
  return waitsForApproval(upgrade) ? 'not begun' : 'not known'
}
