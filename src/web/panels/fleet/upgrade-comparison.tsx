import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import { upgradePath } from '../../lib/paths.ts'
import { stepText, phaseName } from '../../lib/fleet-names.ts'
import { formatLength } from '../../lib/format-time.ts'
import { compareUpgrades, type ComparedCell, type ComparedPhase } from '../../lib/upgrade-compare.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Lane, placeOnLane } from '../../ui/lane.tsx'
import { UpgradeStateMark } from '../../ui/outcome-marks.tsx'
import styles from './upgrade-comparison.module.css'

interface UpgradeComparisonProps {
  readonly upgrades: readonly UpgradeItem[]
  readonly nowMs: number
  readonly onRemove: (id: string) => void
}

/** Upgrades side by side: the start of each phase relative to the upgrade, and its duration. */
export function UpgradeComparison({ upgrades, nowMs, onRemove }: UpgradeComparisonProps): ReactNode {
  const { rows, seconds } = compareUpgrades(upgrades, nowMs)
  const columns: readonly Column<ComparedPhase>[] = [
    { head: 'Phase', kind: 'name', cell: ({ phase }) => phaseName(phase) },
    ...upgrades.map((upgrade, i): Column<ComparedPhase> => ({
      id: upgrade.id,
      head: <ComparedHead upgrade={upgrade} onRemove={onRemove} />,
      className: 'touch-links',
      cell: (row) => <Cell cell={row.cells[i]!} row={row} totalSeconds={seconds} />,
    })),
  ]
  return (
    <DataTable
      label="Compared upgrades"
      isScrollable
      className={styles.table}
      columns={columns}
      rows={rows}
      rowKey={({ phase }) => phase}
    />
  )
}

interface ComparedHeadProps {
  readonly upgrade: UpgradeItem
  readonly onRemove: (id: string) => void
}

function ComparedHead({ upgrade, onRemove }: ComparedHeadProps): ReactNode {
  const { id, cluster, state } = upgrade
  return (
    <>
      <Link href={upgradePath(id)}>{cluster}</Link>
      <span className="own-labels nums">{stepText(upgrade)}</span>
      <UpgradeStateMark state={state} />{' '}
      <Button
        variant="inline"
        aria-label={`Remove ${stepText(upgrade)} on ${cluster}`}
        onClick={() => {
          onRemove(id)
        }}
      >
        Remove
      </Button>
    </>
  )
}

interface CellProps {
  readonly cell: ComparedCell
  readonly row: ComparedPhase
  readonly totalSeconds: number
}

function Cell({ cell: { seconds, afterSeconds = 0 }, row, totalSeconds }: CellProps): ReactNode {
  if (seconds === undefined) return <span className="quiet">not known</span>
  const start = Math.min(1, afterSeconds / totalSeconds)
  const length = Math.min(1 - start, seconds / totalSeconds)
  const isLongest = seconds === row.mostSeconds && row.cells.filter((one) => one.seconds !== undefined).length > 1
  return (
    <>
      <Lane size="thin">
        <span
          className={classNames('piece', styles.bar, isLongest && styles.longest)}
          style={placeOnLane({ start, end: start + length })}
        />
      </Lane>
      <span className="nums">
        {isLongest ? <strong>{formatLength(seconds)}</strong> : formatLength(seconds)}
        <span className="quiet"> after {formatLength(afterSeconds)}</span>
      </span>
    </>
  )
}
