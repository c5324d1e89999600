/** The stage of an open upgrade, for the landing page and for the states of clusters. Pure. */
import type { UpgradeRecord } from '../model/upgrade.ts'

/** Pending approval; control plane in progress; or workload update in progress. */
export type UpgradeStage = 'waiting' | 'upgrading' | 'following'

export function upgradeStage({ upgrade }: Pick<UpgradeRecord, 'upgrade'>): UpgradeStage {
  if (upgrade.state !== 'in_progress') return 'following'
  const isOpen = upgrade.phases.some(({ name, state }) => name === 'approval' && state === 'in_progress')
  return isOpen && upgrade.startedMs === undefined ? 'waiting' : 'upgrading'
}
