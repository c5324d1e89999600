import type { ReactNode } from 'react'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import { phaseWords } from '../lib/fleet-names.ts'
import { baselineWords } from '../lib/upgrade-words.ts'
import type { Column } from '../ui/data-table.tsx'
import { Since } from '../ui/time.tsx'
import { OpenUpgradeTable, STARTED } from './open-upgrade-table.tsx'

/** Upgrades without progress: cause, time without progress, and what is typical. */
export function StuckTable({ upgrades }: { readonly upgrades: readonly Steady<OpenUpgradeItem>[] }): ReactNode {
  return <OpenUpgradeTable label="Stuck upgrades" upgrades={upgrades} text={CAUSE} numbers={[NO_PROGRESS, STARTED]} />
}

const CAUSE: Column<OpenUpgradeItem> = { head: 'Cause', cell: (upgrade) => <Cause upgrade={upgrade} /> }
const NO_PROGRESS: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'Stands still',
  cell: ({ stalledSince }) => (stalledSince === null ? 'unknown' : <Since atMs={msOf(stalledSince)} />),
}

function Cause({ upgrade }: { readonly upgrade: OpenUpgradeItem }): ReactNode {
  const { cause, phase, baseline, silentSince } = upgrade
  return (
    <span>
      <span className="cause">{cause?.text ?? 'Cause unknown.'}</span>
      <span className="quiet">
        {phaseWords(phase)}: {baselineWords(baseline)}
        {silentSince === null ? null : (
          <>
            ; silent for <Since atMs={msOf(silentSince)} />, nobody knows whether it still is
          </>
        )}
      </span>
    </span>
  )
}
