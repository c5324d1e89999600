/**
 * Verdicts on upgrades that are judged repeatedly: the current phase of an upgrade is computed again only when a baseline or
 * its record changed. The time and the heartbeat of the cluster are checked each time.
 */
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { currentPhaseOf, verdictAt, type LastSeen, type CurrentPhase } from './stuck.ts'
import type { BaselineIndex } from './stuck-baseline.ts'

export type StuckJudge = (record: UpgradeRecord, nowMs: number, lastSeen: LastSeen) => StuckVerdict

/** Returns what `verdictOf` returns. Records are never changed in place. */
export function createStuckJudge(baselines: BaselineIndex): StuckJudge {
  const cached = new WeakMap<UpgradeRecord, { readonly revision: number; readonly current: CurrentPhase | undefined }>()
  return (record, nowMs, lastSeen) => {
    const revision = baselines.revision()
    let known = cached.get(record)
    if (known?.revision !== revision) {
      known = { revision, current: currentPhaseOf(record, baselines) }
      cached.set(record, known)
    }
    return verdictAt(record, known.current, nowMs, lastSeen)
  }
}
