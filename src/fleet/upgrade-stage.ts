/** Where an open upgrade stands, as people count it: one place for the landing page and for the states of clusters. Pure. */
import type { UpgradeRecord } from '../model/upgrade.ts'

/** Nobody approved it yet; the control plane is under way; or it is done, and machines still move. */
export type UpgradeStage = 'waiting' | 'upgrading' | 'following'

export function upgradeStage({ upgrade }: Pick<UpgradeRecord, 'upgrade'>): UpgradeStage {
  if (upgrade.state !== 'in_progress') return 'following'
  const isOpen = upgrade.phases.some(({ name, state }) => name === 'approval' && state === 'in_progress')
  return isOpen && upgrade.startedMs === undefined ? 'waiting' : 'upgrading'
}
