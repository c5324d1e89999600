import type { ReactNode } from 'react'
import type { ClusterDetail } from '../../../contract/fleet-clusters.ts'
import { operatorName } from '../../lib/operator-words.ts'
import { formatAge, formatDay, formatMoment } from '../../lib/format-time.ts'
import type { Zone } from '../../lib/format-time.ts'
import { versionAge } from '../../lib/version-facets.ts'
import { HISTORY_RANGES, versionLanes } from '../../lib/version-lanes.ts'
import type { HistoryRange, VersionPiece } from '../../lib/version-lanes.ts'
import { usePreferences } from '../../ui/preferences.ts'

interface VersionHistoryProps {
  readonly intervals: ClusterDetail['intervals']
  readonly range: HistoryRange
  readonly nowMs: number
}

/** Which version of each operator ran when, as lines of time below each other; each piece says its moments. */
export function VersionHistory({ intervals, range, nowMs }: VersionHistoryProps): ReactNode {
  const { zone } = usePreferences()
  const rangeMs = HISTORY_RANGES.find(({ name }) => name === range)?.ms ?? 0
  const lanes = versionLanes(intervals, nowMs, rangeMs)
  if (lanes.length === 0) return <p className="quiet">No version of any operator is told.</p>
  return (
    <table className="lane-table" aria-label="Versions over time">
      <thead>
        <tr>
          <th scope="col">Operator</th>
          <th scope="col">
            <span className="lane-axis nums">
              <span>
                {rangeMs > 86_400_000 ? formatDay(nowMs - rangeMs, zone) : formatMoment(nowMs - rangeMs, zone)}
              </span>
              <span>now</span>
            </span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lanes.map(({ operator, pieces }) => (
          <tr key={operator}>
            <th scope="row">{operatorName(operator)}</th>
            <td>
              <div className="lane">
                {pieces.map((piece) => (
                  <Piece key={`${piece.version} ${piece.fromMs}`} piece={piece} pieces={pieces} zone={zone} />
                ))}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface PieceProps {
  readonly piece: VersionPiece
  readonly pieces: readonly VersionPiece[]
  readonly zone: Zone
}

function Piece({ piece, pieces, zone }: PieceProps): ReactNode {
  const { version, fromMs, untilMs, isCutBefore, isOpen, resolutionSeconds, start, end } = piece
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
      className={`lane-piece version-age-${Math.min(age ?? 4, 4)} ${isCutBefore ? 'is-cut' : ''}`}
      style={{ insetInlineStart: `${100 * start}%`, inlineSize: `${100 * (end - start)}%` }}
      title={text}
    >
      <span className="nums" aria-hidden="true">
        {version}
      </span>
      <span className="visually-hidden">{text}. </span>
    </span>
  )
}
