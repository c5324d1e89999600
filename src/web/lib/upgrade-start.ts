import type { UpgradeItem } from '../../contract/fleet-upgrades.ts'

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
