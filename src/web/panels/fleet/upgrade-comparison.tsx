import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UpgradeItem } from '../../../contract/fleet-upgrades.ts'
import { upgradePath } from '../../lib/fleet-paths.ts'
import { stepText } from '../../lib/operator-words.ts'
import { phaseName } from '../../lib/phase-words.ts'
import { formatLength } from '../../lib/format-length.ts'
import { compareUpgrades } from '../../lib/upgrade-compare.ts'
import type { ComparedCell, ComparedPhase } from '../../lib/upgrade-compare.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Lane, placeOnLane } from '../../ui/lane.tsx'
import { UpgradeStateMark } from '../../ui/outcome-marks.tsx'
import styles from './upgrade-comparison.module.css'

interface UpgradeComparisonProps {
  readonly upgrades: readonly UpgradeItem[]
  readonly nowMs: number
  readonly onRemove: (id: string) => void
}

/** Upgrades beside each other: each phase where it lay since the upgrade began, and how long it took. */
export function UpgradeComparison({ upgrades, nowMs, onRemove }: UpgradeComparisonProps): ReactNode {
  const { rows, seconds } = compareUpgrades(upgrades, nowMs)
  return (
    <div className="table-scroll">
      <table className={classNames('data-table', styles.table)} aria-label="Compared upgrades">
        <thead>
          <tr>
            <th scope="col">Phase</th>
            {upgrades.map((upgrade) => (
              <th key={upgrade.id} scope="col">
                <Link href={upgradePath(upgrade.id)}>{upgrade.cluster}</Link>
                <span className="own-labels nums">{stepText(upgrade)}</span>
                <UpgradeStateMark state={upgrade.state} />{' '}
                <Button
                  variant="link"
                  size="sm"
                  isInline
                  aria-label={`Remove ${stepText(upgrade)} on ${upgrade.cluster}`}
                  onClick={() => {
                    onRemove(upgrade.id)
                  }}
                >
                  Remove
                </Button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.phase}>
              <th scope="row">{phaseName(row.phase)}</th>
              {row.cells.map((cell, i) => (
                <td key={upgrades[i]?.id ?? i}>
                  <Cell cell={cell} row={row} totalSeconds={seconds} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
          className={classNames(styles.bar, isLongest && styles.longest)}
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
