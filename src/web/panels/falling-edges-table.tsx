import type { ReactNode } from 'react'
import { edgePath } from '../lib/fleet-paths.ts'
import type { FallingEdgeItem } from '../../contract/now.ts'
import { outcomesWords } from '../lib/now-summary.ts'
import type { Steady } from '../lib/steady-list.ts'
import { GoneMark } from '../ui/gone-mark.tsx'
import { StepLink } from './upgrade-cells.tsx'

const AGAINST: Readonly<Record<FallingEdgeItem['against'], string>> = {
  before: 'before, on this edge',
  other_edges: 'on other edges to it',
}

/** Edges on which clearly fewer upgrades succeed than before, or than on others to the same version. */
export function FallingEdgesTable({ edges }: { readonly edges: readonly Steady<FallingEdgeItem>[] }): ReactNode {
  return (
    <table aria-label="Edges whose success falls" className="data-table">
      <thead>
        <tr>
          <th scope="col">Edge</th>
          <th scope="col" className="cell-number">
            Succeeded lately
          </th>
          <th scope="col" className="cell-number cell-beside">
            Held against
          </th>
        </tr>
      </thead>
      <tbody>
        {edges.map((edge) => (
          <tr key={`${edge.operator} ${edge.from} ${edge.to}`}>
            <td className="cell-name">
              <StepLink step={edge} href={edgePath(edge.operator, edge.from, edge.to)} /> <GoneMark row={edge} />
              <span className="cell-below">
                {outcomesWords(edge.other)} {AGAINST[edge.against]}
              </span>
            </td>
            <td className="cell-number nums">{outcomesWords(edge.lately)}</td>
            <td className="cell-number cell-beside">
              <span className="nums">{outcomesWords(edge.other)}</span>{' '}
              <span className="quiet">{AGAINST[edge.against]}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
