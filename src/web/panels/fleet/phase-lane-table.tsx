import type { ReactNode } from 'react'
import type { UpgradeDetailItem } from '../../../contract/fleet-upgrades.ts'
import { formatLength, formatMoment, formatTimeOfDay } from '../../lib/format-time.ts'
import { levelOf, TYPICAL_RUNS_MIN, typicalText } from '../../lib/phase-heat.ts'
import { phaseLanes, type PhaseLane } from '../../lib/phase-lanes.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Lane, LaneAxis, LaneBand, LaneBar, LaneKey, LaneThreshold } from '../../ui/lane.tsx'
import { Legend } from '../../ui/legend.tsx'
import { PhaseStateMark, StuckMark } from '../../ui/outcome-marks.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { laneColumn, phaseColumn } from './edge-phases.tsx'

/** The phases of an upgrade on one line of time, each beside what it takes on its edge, with how it is known. */
export function PhaseLaneTable({ detail }: { readonly detail: UpgradeDetailItem }): ReactNode {
  const { zone } = usePreferences()
  const { lanes, fromMs, toMs } = phaseLanes(detail)
  if (lanes.length === 0) return <p className="quiet">No phases reported.</p>
  return (
    <>
      <DataTable
        label="Phases"
        isScrollable
        columns={columnsOf(detail, <LaneAxis from={formatMoment(fromMs, zone)} to={formatTimeOfDay(toMs, zone)} />)}
        rows={lanes}
        rowKey={({ phase }) => phase.name}
      />
      <Legend isDecoration>
        <LaneKey of="bar" /> duration <LaneKey of="band" /> typical: p50 to p95 <LaneKey of="threshold" /> considered
        stuck
      </Legend>
      {detail.usualFrom === null ? null : <p className="quiet">{USUAL_FROM[detail.usualFrom]}</p>}
    </>
  )
}

function columnsOf({ verdict, upgrade }: UpgradeDetailItem, axis: ReactNode): readonly Column<PhaseLane>[] {
  const isStuck = ({ phase }: PhaseLane): boolean => verdict?.stuck === true && verdict.phase === phase.name
  return [
    phaseColumn(({ phase }) => phase.name),
    { head: 'State', cell: (lane) => (isStuck(lane) ? <StuckMark /> : <PhaseStateMark state={lane.phase.state} />) },
    laneColumn({ head: axis, cell: (lane) => <PhaseLaneLine lane={lane} isStuck={isStuck(lane)} /> }),
    {
      head: 'Duration',
      kind: 'number',
      cell: (lane) => <Took lane={lane} />,
      below: (lane) =>
        hasUsual(lane) ? (
          <span className="cell-wraps">
            {' '}
            typical <UsualCell lane={lane} />
          </span>
        ) : null,
    },
    {
      head: 'Typical (p50 – p95)',
      kind: 'number',
      isHiddenOnPhone: true,
      cell: (lane) => (
        <span className="quiet">
          <UsualCell lane={lane} />
        </span>
      ),
    },
    { head: 'Source', isHiddenOnPhone: true, cell: (lane) => <KnownCell lane={lane} upgrade={upgrade} /> },
  ]
}

const USUAL_FROM: Readonly<Record<NonNullable<UpgradeDetailItem['usualFrom']>, string>> = {
  edge: 'Typical: from upgrades on this path; the number of upgrades is in brackets.',
  minor:
    'Typical: from upgrades between the same minor versions, because this path has too few; the number of upgrades is in brackets.',
  fleet:
    'Typical: from the newest upgrades of the operator, because this path has too few; the number of upgrades is in brackets.',
}

interface PhaseLaneLineProps {
  readonly lane: PhaseLane
  readonly isStuck: boolean
}

function PhaseLaneLine({ lane: { phase, bar, band, threshold }, isStuck }: PhaseLaneLineProps): ReactNode {
  return (
    <Lane isCutOff={bar?.isCutAfter === true}>
      {band === undefined ? null : <LaneBand {...band} />}
      {bar === undefined ? null : <LaneBar {...bar} isStuck={isStuck} state={phase.state} />}
      {threshold === undefined ? null : <LaneThreshold at={threshold} />}
    </Lane>
  )
}

function Took({ lane: { seconds, phase, usual } }: { readonly lane: PhaseLane }): ReactNode {
  if (seconds === undefined) {
    return <span className="quiet">{phase.state === 'pending' || phase.state === 'skipped' ? '–' : 'not known'}</span>
  }
  const isSlow = levelOf(seconds, usual) === 'slow'
  return (
    <>
      {isSlow ? <strong title={typicalText(usual)}>{formatLength(seconds)} slow</strong> : formatLength(seconds)}
      {phase.state === 'in_progress' ? <span className="quiet"> so far</span> : null}
    </>
  )
}

function hasUsual({ usual }: PhaseLane): boolean {
  return usual?.p50Seconds != null && usual.runs >= TYPICAL_RUNS_MIN
}

function UsualCell({ lane }: { readonly lane: PhaseLane }): ReactNode {
  const { usual } = lane
  if (usual?.p50Seconds == null || !hasUsual(lane)) return 'not known yet'
  return (
    <span title={typicalText(usual)}>
      {formatLength(usual.p50Seconds)} – {usual.p95Seconds === null ? 'not known' : formatLength(usual.p95Seconds)} (
      {usual.runs})
    </span>
  )
}

interface KnownCellProps extends Pick<UpgradeDetailItem, 'upgrade'> {
  readonly lane: PhaseLane
}

function KnownCell({ lane: { phase }, upgrade }: KnownCellProps): ReactNode {
  const sources = [...new Set(upgrade.evidence.filter((one) => one.phase === phase.name).map(({ source }) => source))]
  if (phase.state === 'unknown') return <span className="quiet">not reported</span>
  if (phase.state === 'pending') return null
  return (
    <span className="quiet" title={phase.reconstructed ? 'Reconstructed from history, not observed live' : ''}>
      ±{phase.resolutionSeconds} s{sources.length === 0 ? '' : `, ${sources.join(', ')}`}
      {phase.reconstructed ? ', reconstructed' : ''}
    </span>
  )
}
