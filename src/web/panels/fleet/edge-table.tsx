import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import { edgeKey, edgeName } from '../../lib/edge-words.ts'
import type { EdgeWindow } from '../../lib/edge-window.ts'
import { edgePath } from '../../lib/fleet-paths.ts'
import { operatorName } from '../../lib/operator-words.ts'
import { phaseName } from '../../lib/phase-words.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { formatLength } from '../../lib/format-length.ts'
import { Since } from '../../ui/time.tsx'
import { SuccessWhisker } from './success-whisker.tsx'

interface EdgeTableProps {
  readonly edges: readonly EdgeItem[]
  readonly label: string
  /** Over which upgrades; links keep it. */
  readonly window: EdgeWindow
}

/** Edges as rows: how often they succeed, as an interval, and how long they take. */
export function EdgeTable({ edges, label, window }: EdgeTableProps): ReactNode {
  return (
    <div className="table-box">
      <table className="data-table alert-table edge-table" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Edge</th>
            <th scope="col" className="cell-beside cell-number">
              Attempts
            </th>
            <th scope="col">
              Succeeded <span className="quiet">(95 % interval)</span>
            </th>
            <th scope="col" className="cell-beside cell-number">
              Median
            </th>
            <th scope="col" className="cell-beside cell-number">
              90 of 100
            </th>
            <th scope="col" className="cell-beside">
              Longest phases
            </th>
            <th scope="col" className="cell-beside cell-number column-age">
              Last
            </th>
          </tr>
        </thead>
        <tbody>
          {edges.map((edge) => (
            <tr key={`${edge.operator} ${edgeKey(edge)}`}>
              <td className="cell-name nums">
                <Link href={edgePath(edge.operator, edge.from, edge.to, { window })} data-row>
                  {edgeName(edge)}
                </Link>
                <span className="own-labels">{operatorName(edge.operator)}</span>
                <span className="cell-below nums">
                  <span className="cell-nowrap">{countOf(edge.attempts, 'attempt')}</span>
                  <span className="cell-nowrap">median {lengthOr(edge.duration.p50Seconds)}</span>
                </span>
              </td>
              <td className="cell-beside cell-number nums">{formatCount(edge.attempts)}</td>
              <td>
                <SuccessWhisker edge={edge} />
              </td>
              <td className="cell-beside cell-number nums">{lengthOr(edge.duration.p50Seconds)}</td>
              <td className="cell-beside cell-number nums">{lengthOr(edge.duration.p90Seconds)}</td>
              <td className="cell-beside quiet nums">{longestPhases(edge)}</td>
              <td className="cell-beside cell-number">
                {edge.lastAt === null ? 'not known' : <Since atMs={Date.parse(edge.lastAt)} suffix=" ago" />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function lengthOr(seconds: number | null): string {
  return seconds === null ? 'not known' : formatLength(seconds)
}

const LONGEST_SHOWN = 3

function longestPhases({ phases }: EdgeItem): string {
  return phases
    .filter(({ phase, p50Seconds }) => p50Seconds !== null && !phase.includes('.') && phase !== 'offered')
    .sort((a, b) => (b.p50Seconds ?? 0) - (a.p50Seconds ?? 0))
    .slice(0, LONGEST_SHOWN)
    .map(({ phase, p50Seconds }) => `${phaseName(phase)} ${formatLength(p50Seconds ?? 0)}`)
    .join(', ')
}
