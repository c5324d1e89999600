import type { BlockCause } from '../../model/upgrade.ts'
import { runbookPath } from './paths.ts'
import { headingId } from './runbook-blocks.ts'

/** The page of every stuck upgrade has a section for each cause, under its name; these causes have a page of their own. */
const OTHER_SECTIONS: Readonly<Partial<Record<BlockCause, RunbookSection>>> = {
  approval_waiting: { page: 'DaytwoApprovalWaiting', heading: 'Mitigation' },
  resolution_failed: { page: 'DaytwoCannotPlanUpgrade', heading: 'Mitigation' },
}

interface RunbookSection {
  readonly page: string
  readonly heading: string
}

/** Where a runbook describes the cause and what to do. */
export function causeSection(cause: BlockCause): RunbookSection {
  return OTHER_SECTIONS[cause] ?? { page: 'DaytwoUpgradeStuck', heading: cause }
}

export function causeRunbookPath(cause: BlockCause): string {
  const { page, heading } = causeSection(cause)
  return `${runbookPath(page)}#${headingId(heading)}`
}
