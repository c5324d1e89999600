import type { ReactNode } from 'react'
import { isSubPhase, phaseName, phaseWords } from '../../lib/fleet-names.ts'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import { formatCount } from '../../lib/format-number.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Lane, LaneBand, LaneBar } from '../../ui/lane.tsx'
import { lengthOr } from './edge-table.tsx'
import styles from './edge-phases.module.css'

/** Durations of each phase on an upgrade path: the median with its interval, p90 and p95. */
export function EdgePhases({ edge }: { readonly edge: EdgeItem }): ReactNode {
  const phases = edge.phases.filter(({ phase }) => phase !== 'offered')
  const most = Math.max(
    1,
    ...phases
      .filter(({ phase }) => phase !== 'approval' && phase !== 'workloads')
      .map(({ p95Seconds, p50Seconds }) => p95Seconds ?? p50Seconds ?? 0),
  )
  if (phases.length === 0) return <p className="quiet">No phases reported.</p>
  return (
    <DataTable
      label="Durations by phase"
      isScrollable
      columns={columnsOf(most)}
      rows={phases}
      rowKey={({ phase }) => phase}
    />
  )
}

/** @param mostSeconds the length of a whole lane */
function columnsOf(mostSeconds: number): readonly Column<EdgeItem['phases'][number]>[] {
  return [
    phaseColumn(({ phase }) => phase),
    laneColumn({
      head: 'p50 to p95',
      cell: ({ p50Seconds, p95Seconds }) => (
        <Lane isCutOff={(p95Seconds ?? p50Seconds ?? 0) > mostSeconds}>
          {p50Seconds === null ? null : (
            <>
              <LaneBar start={0} end={share(p50Seconds, mostSeconds)} />
              <LaneBand start={share(p50Seconds, mostSeconds)} end={share(p95Seconds ?? mostSeconds, mostSeconds)} />
            </>
          )}
        </Lane>
      ),
    }),
    {
      head: 'p50',
      kind: 'number',
      title: ({ p50LowSeconds, p50HighSeconds }) =>
        `95 % interval of p50: ${boundText(p50LowSeconds)} to ${boundText(p50HighSeconds)}`,
      cell: ({ p50Seconds }) => lengthOr(p50Seconds),
    },
    { head: 'p90', kind: 'number', isHiddenOnPhone: true, cell: ({ p90Seconds }) => lengthOr(p90Seconds) },
    { head: 'p95', kind: 'number', cell: ({ p95Seconds }) => lengthOr(p95Seconds) },
    {
      head: 'Upgrades',
      kind: 'number',
      cell: ({ runs, censored }) => (
        <>
          {formatCount(runs)}
          {censored === 0 ? null : <span className={`quiet ${styles.open}`}> ({formatCount(censored)} open)</span>}
        </>
      ),
    },
  ]
}

function share(seconds: number, most: number): number {
  return Math.min(1, seconds / most)
}

function boundText(seconds: number | null): string {
  return seconds === null ? 'open' : lengthOr(seconds)
}

/** The first column of tables of phases: a phase within another one is indented. */
export function phaseColumn<Row>(phaseOf: (row: Row) => string): Column<Row> {
  return {
    head: 'Phase',
    kind: 'name',
    className: styles.name,
    title: (row) => phaseWords(phaseOf(row)),
    cell: (row) => (
      <span className={isSubPhase(phaseOf(row)) ? `quiet ${styles.sub}` : undefined}>{phaseName(phaseOf(row))}</span>
    ),
  }
}

const LANE_STYLE = { inlineSize: '40%', minInlineSize: '14rem', verticalAlign: 'middle' }

/** A column with a lane in each row; on a phone the numbers beside it are enough. */
export function laneColumn<Row>(column: Pick<Column<Row>, 'head' | 'cell'>): Column<Row> {
  return { id: 'lane', style: LANE_STYLE, isHiddenOnPhone: true, ...column }
}
