import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import { upgradePath } from '../../lib/paths.ts'
import { stepText } from '../../lib/fleet-names.ts'
import { formatLength } from '../../lib/format-time.ts'
import { noStartText, waitsForApproval } from '../../lib/upgrade-bands.ts'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { UpgradeStateMark, WaitingMark } from '../../ui/outcome-marks.tsx'
import { Ago, Since } from '../../ui/time.tsx'
import styles from './upgrade-rows.module.css'

interface UpgradeRowsProps {
  readonly upgrades: readonly UpgradeItem[]
  /** Named by their cluster: they are all of one edge. Otherwise by their step: they are all of one cluster. */
  readonly byCluster?: boolean
}

/** A few upgrades, newest first. */
export function UpgradeRows({ upgrades, byCluster = false }: UpgradeRowsProps): ReactNode {
  if (upgrades.length === 0) return <p className="quiet">No upgrades observed.</p>
  const columns: readonly Column<UpgradeItem>[] = [
    {
      head: 'Upgrade',
      kind: 'name',
      // A step wraps between its words on a phone.
      isOneLine: byCluster,
      cell: (upgrade) => (
        <>
          <Link className="nums" href={upgradePath(upgrade.id)}>
            {byCluster ? upgrade.cluster : stepText(upgrade)}
          </Link>
          <span className={classNames('own-labels', styles.below)}>
            <StartedText upgrade={upgrade} />
          </span>
        </>
      ),
    },
    ...COLUMNS,
  ]
  return (
    <DataTable
      label={byCluster ? 'Upgrades on the path' : 'Upgrades of the cluster'}
      columns={columns}
      rows={upgrades}
      rowKey={({ id }) => id}
    />
  )
}

const COLUMNS: readonly Column<UpgradeItem>[] = [
  { head: 'Outcome', cell: (upgrade) => <OutcomeMark upgrade={upgrade} /> },
  { head: 'Duration', kind: 'number', cell: (upgrade) => <DurationText upgrade={upgrade} /> },
  { head: 'Started', kind: 'number', className: 'cell-wide', cell: (upgrade) => <StartedText upgrade={upgrade} /> },
]

/** The outcome; of an active upgrade, that it is running or waits for approval. */
export function OutcomeMark({ upgrade }: { readonly upgrade: UpgradeItem }): ReactNode {
  return waitsForApproval(upgrade) ? <WaitingMark /> : <UpgradeStateMark state={upgrade.state} />
}

export function StartedText({ upgrade }: { readonly upgrade: UpgradeItem }): ReactNode {
  return <Ago at={upgrade.startedAt} none={noStartText(upgrade)} />
}

/** The duration; of an active upgrade, until now. */
export function DurationText({ upgrade }: { readonly upgrade: UpgradeItem }): ReactNode {
  const { startedAt, endedAt, state, resolutionSeconds } = upgrade
  if (startedAt === null) return <span className="quiet">{waitsForApproval(upgrade) ? '–' : 'not known'}</span>
  if (endedAt === null) {
    return state === 'in_progress' ? (
      <>
        <Since atMs={Date.parse(startedAt)} /> <span className="quiet">so far</span>
      </>
    ) : (
      <span className="quiet">not known</span>
    )
  }
  return (
    <span title={`exact to ±${resolutionSeconds} s`}>
      {formatLength((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)}
    </span>
  )
}
