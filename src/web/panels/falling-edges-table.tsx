import type { ReactNode } from 'react'
import { edgePath } from '../lib/paths.ts'
import type { FallingEdgeItem } from '../../contract/now.ts'
import { outcomesWords } from '../lib/now-summary.ts'
import type { Steady } from '../lib/steady-list.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { StepLink } from './upgrade-cells.tsx'

const AGAINST: Readonly<Record<FallingEdgeItem['against'], string>> = {
  before: 'before, on this edge',
  other_edges: 'on other edges to it',
}

const COLUMNS: readonly Column<Steady<FallingEdgeItem>>[] = [
  {
    head: 'Edge',
    kind: 'name',
    cell: (edge) => (
      <>
        <StepLink step={edge} href={edgePath(edge.operator, edge.from, edge.to)} /> <GoneMark row={edge} />
      </>
    ),
    below: ({ other, against }) => `${outcomesWords(other)} ${AGAINST[against]}`,
  },
  { head: 'Succeeded lately', kind: 'number', cell: ({ lately }) => outcomesWords(lately) },
  {
    head: 'Held against',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ other, against }) => (
      <>
        {outcomesWords(other)} <span className="quiet">{AGAINST[against]}</span>
      </>
    ),
  },
]

/** Regressing upgrade paths: fewer upgrades succeed than before, or than on other paths to the same version. */
export function FallingEdgesTable({ edges }: { readonly edges: readonly Steady<FallingEdgeItem>[] }): ReactNode {
  return (
    <DataTable
      label="Edges whose success falls"
      columns={COLUMNS}
      rows={edges}
      rowKey={({ operator, from, to }) => `${operator} ${from} ${to}`}
    />
  )
}
