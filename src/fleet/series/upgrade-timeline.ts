/**
 * When an upgrade was in progress and in which phases: what cutting its record at every moment would show (`past/record-at.ts`),
 * as numbers, so that all upgrades of a large fleet fit in memory. Pure.
 */
import { ownValue } from '../../base/own-value.ts'
import type { PhaseName, UpgradePhase, UpgradeRecord } from '../../model/upgrade.ts'
import { knownSinceMs } from '../past/known-since.ts'
import { isCauseReported } from '../stuck/stuck.ts'
import type { LabelSource } from './fact-series.ts'
import type { Period } from './stretch.ts'

export interface UpgradeTimeline {
  readonly labels: UpgradeLabels
  /** By phase of `labels`, when it was in progress while the upgrade was open: start, start of the phase itself, end (exclusive). */
  readonly phaseTimesMs: readonly number[]
  /** In progress; equal: never. */
  readonly fromMs: number
  readonly untilMs: number
}

/** The labels of the series of an upgrade; a part is one of its phases, or none of them. */
export class UpgradeLabels implements LabelSource {
  readonly phases: readonly PhaseName[]
  readonly #ofAll: Readonly<Record<'cluster' | 'operator' | 'from' | 'to', string>>

  constructor({ cluster, operator, from = '', to }: UpgradeRecord['upgrade'], phases: readonly PhaseName[]) {
    this.#ofAll = { cluster, operator, from, to }
    this.phases = phases
  }

  valueOf(label: string, part: number): string {
    return label === 'phase' ? (this.phases[part] ?? '') : (ownValue(this.#ofAll, label) ?? '')
  }

  labelsOf(part: number): Readonly<Record<string, string>> {
    return { ...this.#ofAll, phase: this.phases[part] ?? '' }
  }

  textOf(part: number): string {
    const { operator, from, to } = this.#ofAll
    return `${operator}\u0000${from}\u0000${to}\u0000${this.phases[part] ?? ''}`
  }
}

/** The part of the labels of an upgrade without a phase. */
export const NO_PHASE = -1

export function upgradeTimeline({ upgrade, detail }: UpgradeRecord): UpgradeTimeline {
  const { state, endedMs } = upgrade
  const fromMs = knownSinceMs(upgrade, detail)
  // Without the time of its end, an upgrade that ended is unknown before it was last observed.
  const untilMs = Math.max(fromMs, endedMs ?? (state === 'in_progress' ? Infinity : fromMs))
  const open: Period[] = [{ fromMs, untilMs }]
  if (state === 'succeeded') {
    const doneMs = Math.max(fromMs, endedMs ?? detail.observedUntilMs)
    for (const phase of upgrade.phases) {
      const period = phaseOf(phase, detail.observedUntilMs)
      if (period === undefined || !isFollowing(phase)) continue
      const afterMs = phase.name === 'workloads' ? doneMs : Math.max(doneMs, blockedSinceMs(upgrade, phase, detail))
      open.push({ fromMs: Math.max(afterMs, period.fromMs), untilMs: period.untilMs })
    }
  }
  const periods = union(open)
  const phases: PhaseName[] = []
  const phaseTimesMs: number[] = []
  for (const phase of upgrade.phases) {
    const period = phaseOf(phase, detail.observedUntilMs)
    if (period === undefined) continue
    for (const one of periods) {
      const [begin, end] = [Math.max(one.fromMs, period.fromMs), Math.min(one.untilMs, period.untilMs)]
      if (begin >= end) continue
      phases.push(phase.name)
      phaseTimesMs.push(begin, period.fromMs, end)
    }
  }
  return { labels: new UpgradeLabels(upgrade, phases), phaseTimesMs, fromMs, untilMs }
}

/** When a phase was in progress; a phase that failed and did not end was retried until it was last observed. */
function phaseOf({ startedMs, endedMs, state }: UpgradePhase, observedUntilMs: number): Period | undefined {
  if (startedMs === undefined) return undefined
  if (endedMs !== undefined) return { fromMs: startedMs, untilMs: endedMs }
  if (state === 'in_progress') return { fromMs: startedMs, untilMs: Infinity }
  return state === 'failed' ? { fromMs: startedMs, untilMs: observedUntilMs } : undefined
}

/** Phases that keep an upgrade open after its success. */
function isFollowing({ name }: UpgradePhase): boolean {
  return name === 'workloads' || name.startsWith('platform.')
}

function blockedSinceMs(
  upgrade: UpgradeRecord['upgrade'],
  { name }: UpgradePhase,
  { observedUntilMs }: UpgradeRecord['detail'],
): number {
  return isCauseReported(upgrade, name) ? (upgrade.blockedBy?.sinceMs ?? observedUntilMs) : Infinity
}

function union(periods: readonly Period[]): readonly Period[] {
  const result: Period[] = []
  for (const period of periods.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (period.fromMs >= period.untilMs) continue
    const last = result.at(-1)
    if (last === undefined || period.fromMs > last.untilMs) result.push(period)
    else result[result.length - 1] = { ...last, untilMs: Math.max(last.untilMs, period.untilMs) }
  }
  return result
}
