/**
 * Verdicts on upgrades that are asked for again and again: where one stands is worked out anew only after something else
 * was learned, or when its record is another one. What the clock and a sign of life change is looked at each time.
 */
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { standsIn, verdictAt } from './stuck.ts'
import type { LastSeen, Standing } from './stuck.ts'
import type { BaselineIndex } from './stuck-baseline.ts'

export type StuckJudge = (record: UpgradeRecord, nowMs: number, lastSeen: LastSeen) => StuckVerdict

/** Says what `verdictOf` says. Records are never changed in place. */
export function createStuckJudge(baselines: BaselineIndex): StuckJudge {
  const kept = new WeakMap<UpgradeRecord, { readonly lesson: number; readonly stands: Standing | undefined }>()
  return (record, nowMs, lastSeen) => {
    const lesson = baselines.lesson()
    let known = kept.get(record)
    if (known?.lesson !== lesson) {
      known = { lesson, stands: standsIn(record, baselines) }
      kept.set(record, known)
    }
    return verdictAt(record, known.stands, nowMs, lastSeen)
  }
}
