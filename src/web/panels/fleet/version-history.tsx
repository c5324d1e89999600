import type { ReactNode } from 'react'
import type { ClusterDetail } from '../../../contract/fleet-clusters.ts'
import { operatorName } from '../../lib/fleet-names.ts'
import { formatAge, formatDay, formatMoment, type Zone } from '../../lib/format-time.ts'
import { cssColor, versionToken } from '../../lib/palette.ts'
import { versionAge } from '../../lib/version-order.ts'
import { HISTORY_RANGES, versionLanes, type HistoryRange, type VersionPiece } from '../../lib/version-lanes.ts'
import { classNames } from '../../ui/class-names.ts'
import { Lane, LaneAxis, placeOnLane } from '../../ui/lane.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import styles from './version-history.module.css'

interface VersionHistoryProps {
  readonly intervals: ClusterDetail['intervals']
  readonly range: HistoryRange
  readonly nowMs: number
}

/** The versions of each operator over time, one lane per operator; each piece has its start and end as text. */
export function VersionHistory({ intervals, range, nowMs }: VersionHistoryProps): ReactNode {
  const { zone } = usePreferences()
  const rangeMs = HISTORY_RANGES.find(({ name }) => name === range)?.ms ?? 0
  const lanes = versionLanes(intervals, nowMs, rangeMs)
  if (lanes.length === 0) return <p className="quiet">No operator version reported.</p>
  return (
    <table className={`lane-table whole-width ${styles.table}`} aria-label="Versions over time">
      <thead>
        <tr>
          <th scope="col">Operator</th>
          <th scope="col">
            <LaneAxis
              from={rangeMs > 86_400_000 ? formatDay(nowMs - rangeMs, zone) : formatMoment(nowMs - rangeMs, zone)}
              to="now"
            />
          </th>
        </tr>
      </thead>
      <tbody>
        {lanes.map(({ operator, pieces }) => (
          <tr key={operator}>
            <th scope="row">{operatorName(operator)}</th>
            <td>
              <Lane size="thick" isDecoration={false}>
                {pieces.map((piece) => (
                  <Piece key={`${piece.version} ${piece.fromMs}`} piece={piece} pieces={pieces} zone={zone} />
                ))}
              </Lane>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Pieces of this age, in minors behind the newest, and of older versions have dark text in the light theme. */
const PALE_AGE = 2

interface PieceProps {
  readonly piece: VersionPiece
  readonly pieces: readonly VersionPiece[]
  readonly zone: Zone
}

function Piece({ piece, pieces, zone }: PieceProps): ReactNode {
  const { version, fromMs, untilMs, isCutBefore, isOpen, resolutionSeconds } = piece
  const age = versionAge(
    version,
    pieces.map((one) => ({ value: one.version, count: 1 })),
  )
  const from = isCutBefore ? `before ${formatMoment(fromMs, zone)}` : formatMoment(fromMs, zone)
  const text = [
    `${version} from ${from}`,
    isOpen ? 'until now' : `until ${formatMoment(untilMs, zone)}`,
    `(${formatAge(untilMs - fromMs)}, ±${resolutionSeconds} s)`,
  ].join(' ')
  return (
    <span
      className={classNames(
        'piece no-wrap text-tiny',
        styles.piece,
        (age === undefined || age >= PALE_AGE) && styles.pale,
        isCutBefore && styles.cut,
      )}
      style={{
        ...placeOnLane(piece),
        background: cssColor(age === undefined ? '--dt-state-unknown' : versionToken(age)),
      }}
      title={text}
    >
      <span className="nums" aria-hidden="true">
        {version}
      </span>
      <span className="visually-hidden">{text}. </span>
    </span>
  )
}
