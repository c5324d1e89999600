import type { ReactNode } from 'react'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import { Until } from '../ui/time.tsx'
import { OpenUpgradeTable, STARTED } from './open-upgrade-table.tsx'
import type { OpenUpgradeColumn } from './open-upgrade-table.tsx'
import { PhaseCell, PhaseEnd } from './upgrade-cells.tsx'

interface UpgradeListProps {
  readonly upgrades: readonly Steady<OpenUpgradeItem>[]
}

type Column = OpenUpgradeColumn<OpenUpgradeItem>

/** Upgrades whose control plane is under way. */
export function UpgradingTable({ upgrades }: UpgradeListProps): ReactNode {
  return (
    <OpenUpgradeTable label="Upgrades under way" upgrades={upgrades} says={PHASE} numbers={[PHASE_ENDS, STARTED]} />
  )
}

const PHASE: Column = {
  head: 'Phase',
  cell: (upgrade) => (
    <span>
      <PhaseCell upgrade={upgrade} />
    </span>
  ),
}
const PHASE_ENDS: Column = { head: 'Phase ends', cell: ({ phaseEndsAt }) => <PhaseEnd endsAt={phaseEndsAt} /> }

/** Upgrades whose control plane is done, and whose virtual machines still move to the new launcher. */
export function FollowingTable({ upgrades }: UpgradeListProps): ReactNode {
  return (
    <OpenUpgradeTable
      label="Machines that follow"
      upgrades={upgrades}
      numbers={[MACHINES_LEFT, NONE_LEFT]}
      note={(upgrade) => (upgrade.phase === 'workloads' && !upgrade.stuck ? null : <PhaseCell upgrade={upgrade} />)}
    />
  )
}

const MACHINES_LEFT: Column = {
  head: 'Machines left',
  isCount: true,
  cell: ({ machines }) => <MachinesLeft machines={machines} />,
}
const NONE_LEFT: Column = { head: 'None left', cell: ({ machines }) => <MachinesEta machines={machines} /> }

type Machines = OpenUpgradeItem['machines']

function MachinesLeft({ machines }: { readonly machines: Machines }): ReactNode {
  if (machines === null) return <span className="quiet">unknown</span>
  const { outdated, outdatedAtStart } = machines
  return (
    <>
      {formatCount(outdated)}
      {outdatedAtStart === null ? null : <span className="quiet"> of {formatCount(outdatedAtStart)}</span>}
    </>
  )
}

function MachinesEta({ machines }: { readonly machines: Machines }): ReactNode {
  const etaAt = machines?.etaAt ?? null
  if (etaAt === null) return <span className="quiet">no pace</span>
  return (
    <>
      in <Until atMs={msOf(etaAt)} />
    </>
  )
}
