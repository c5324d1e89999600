import type { ReactNode } from 'react'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import type { Column } from '../ui/data-table.tsx'
import { Until } from '../ui/time.tsx'
import { OpenUpgradeTable, STARTED } from './open-upgrade-table.tsx'
import { PhaseCell, PhaseEnd } from './upgrade-cells.tsx'

interface UpgradeListProps {
  readonly upgrades: readonly Steady<OpenUpgradeItem>[]
}

/** Upgrades whose control plane is being updated. */
export function UpgradingTable({ upgrades }: UpgradeListProps): ReactNode {
  return (
    <OpenUpgradeTable label="Upgrades under way" upgrades={upgrades} text={PHASE} numbers={[PHASE_ENDS, STARTED]} />
  )
}

const PHASE: Column<OpenUpgradeItem> = {
  head: 'Phase',
  cell: (upgrade) => (
    <span>
      <PhaseCell upgrade={upgrade} />
    </span>
  ),
}
const PHASE_ENDS: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'Phase ends',
  cell: ({ phaseEndsAt }) => <PhaseEnd endsAt={phaseEndsAt} />,
}

/** Upgrades in the workload update: the control plane is done, VMs still run the old launcher. */
export function FollowingTable({ upgrades }: UpgradeListProps): ReactNode {
  return (
    <OpenUpgradeTable
      label="Machines that follow"
      upgrades={upgrades}
      numbers={[VMS_REMAINING, UPDATE_ENDS]}
      note={(upgrade) => (upgrade.phase === 'workloads' && !upgrade.stuck ? null : <PhaseCell upgrade={upgrade} />)}
    />
  )
}

const VMS_REMAINING: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'Machines left',
  cell: ({ machines }) => <VmsRemaining machines={machines} />,
}
const UPDATE_ENDS: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'None left',
  cell: ({ machines }) => <UpdateEnd machines={machines} />,
}

function VmsRemaining({ machines }: Pick<OpenUpgradeItem, 'machines'>): ReactNode {
  if (machines === null) return <span className="quiet">unknown</span>
  const { outdated, outdatedAtStart } = machines
  return (
    <>
      {formatCount(outdated)}
      {outdatedAtStart === null ? null : <span className="quiet"> of {formatCount(outdatedAtStart)}</span>}
    </>
  )
}

function UpdateEnd({ machines }: Pick<OpenUpgradeItem, 'machines'>): ReactNode {
  const etaAt = machines?.etaAt ?? null
  if (etaAt === null) return <span className="quiet">no pace</span>
  return (
    <>
      in <Until atMs={msOf(etaAt)} />
    </>
  )
}
