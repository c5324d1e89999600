import type { ReactNode } from 'react'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import { isSubPhase, phaseName } from '../../lib/phase-words.ts'
import { formatCount } from '../../lib/format-number.ts'
import { Lane, LaneBand, LaneBar } from '../../ui/lane.tsx'
import { lengthOr } from './edge-table.tsx'

/** How long each phase takes on an edge: the median with its interval, and the slow ones. */
export function EdgePhases({ edge }: { readonly edge: EdgeItem }): ReactNode {
  const phases = edge.phases.filter(({ phase }) => phase !== 'offered')
  const most = Math.max(
    1,
    ...phases
      .filter(({ phase }) => phase !== 'approval' && phase !== 'workloads')
      .map(({ p95Seconds, p50Seconds }) => p95Seconds ?? p50Seconds ?? 0),
  )
  if (phases.length === 0) return <p className="quiet">Nothing tells of its phases.</p>
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Durations of phases">
      <table className="data-table edge-phases" aria-label="Durations by phase">
        <thead>
          <tr>
            <th scope="col">Phase</th>
            <th scope="col" className="phase-line">
              Median to 95 of 100
            </th>
            <th scope="col" className="cell-number">
              Median
            </th>
            <th scope="col" className="cell-number edge-p90">
              90 of 100
            </th>
            <th scope="col" className="cell-number">
              95 of 100
            </th>
            <th scope="col" className="cell-number">
              Runs
            </th>
          </tr>
        </thead>
        <tbody>
          {phases.map(
            ({ phase, p50Seconds, p90Seconds, p95Seconds, p50LowSeconds, p50HighSeconds, runs, censored }) => (
              <tr key={phase} className={isSubPhase(phase) ? 'is-sub' : ''}>
                <th scope="row">{phaseName(phase)}</th>
                <td className="phase-line">
                  <Lane isCutOff={(p95Seconds ?? p50Seconds ?? 0) > most}>
                    {p50Seconds === null ? null : (
                      <>
                        <LaneBar start={0} end={share(p50Seconds, most)} />
                        <LaneBand start={share(p50Seconds, most)} end={share(p95Seconds ?? most, most)} />
                      </>
                    )}
                  </Lane>
                </td>
                <td
                  className="cell-number nums"
                  title={`95 % interval of the median: ${boundText(p50LowSeconds)} to ${boundText(p50HighSeconds)}`}
                >
                  {lengthOr(p50Seconds)}
                </td>
                <td className="cell-number nums edge-p90">{lengthOr(p90Seconds)}</td>
                <td className="cell-number nums">{lengthOr(p95Seconds)}</td>
                <td className="cell-number nums">
                  {formatCount(runs)}
                  {censored === 0 ? null : <span className="quiet runs-open"> ({formatCount(censored)} open)</span>}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

function share(seconds: number, most: number): number {
  return Math.min(1, seconds / most)
}

function boundText(seconds: number | null): string {
  return seconds === null ? 'open' : lengthOr(seconds)
}
