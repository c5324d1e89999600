import type { ReactNode } from 'react'
import type { WaitingUpgradeItem } from '../../contract/now.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import type { Column } from '../ui/data-table.tsx'
import { Since } from '../ui/time.tsx'
import { OpenUpgradeTable } from './open-upgrade-table.tsx'
import { StuckMark } from './upgrade-cells.tsx'

/** Upgrades with a pending approval: the install plan, and since when. */
export function WaitingTable({ upgrades }: { readonly upgrades: readonly Steady<WaitingUpgradeItem>[] }): ReactNode {
  return (
    <OpenUpgradeTable
      label="Waiting for approval"
      upgrades={upgrades}
      numbers={[WAITS_FOR]}
      note={(upgrade) => (
        <>
          {upgrade.stuck ? <StuckMark /> : null} <Plan upgrade={upgrade} />
        </>
      )}
    />
  )
}

const WAITS_FOR: Column<WaitingUpgradeItem> = {
  kind: 'number',
  head: 'Waits for',
  cell: ({ since }) => (since === null ? <span className="quiet">unknown</span> : <Since atMs={msOf(since)} />),
}

function Plan({ upgrade }: { readonly upgrade: WaitingUpgradeItem }): ReactNode {
  const { namespace, installPlan, channel } = upgrade
  return (
    <>
      {installPlan === null ? 'a plan nobody named' : <code>{[namespace, installPlan].filter(Boolean).join('/')}</code>}
      {channel === null ? null : ` of ${channel}`}
    </>
  )
}
