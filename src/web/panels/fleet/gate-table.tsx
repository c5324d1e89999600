import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { GateItems } from '../../../contract/fleet-gates.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { gatePath } from '../../lib/paths.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Ago } from '../../ui/time.tsx'

/** All feature gates that are set, with their clusters. */
export function GateTable({ answer: { gates, telling, coverage } }: { readonly answer: GateItems }): ReactNode {
  return (
    <>
      <p className="quiet">
        {formatCount(telling)} of {countOf(coverage.clusters, 'cluster')} report the settings of HyperConverged. A gate
        that is not set has the default of its version.
      </p>
      {gates.length === 0 ? (
        <p className="empty quiet">No feature gate is set on a reporting cluster.</p>
      ) : (
        <DataTable
          label="Feature gates that are set"
          columns={COLUMNS}
          rows={gates}
          rowKey={({ gate }) => gate}
          csvName="feature-gates"
        />
      )}
    </>
  )
}

const COLUMNS: readonly Column<GateItems['gates'][number]>[] = [
  {
    head: 'Gate',
    kind: 'name',
    cell: ({ gate }) => (
      <Link href={gatePath(gate)} data-row>
        {gate}
      </Link>
    ),
    csv: ({ gate }) => gate,
    isBelowStacked: true,
    below: ({ patched, managers }) => (
      <>
        {patched === 0 ? null : <span>by JSON patch: {countOf(patched, 'cluster')}</span>}
        <span>
          set by <Managers managers={managers} />
        </span>
      </>
    ),
  },
  { head: 'On', kind: 'number', cell: ({ on }) => formatCount(on), csv: ({ on }) => on },
  { head: 'Off', kind: 'number', cell: ({ off }) => formatCount(off), csv: ({ off }) => off },
  {
    head: 'By JSON patch',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ patched }) => (patched === 0 ? '–' : formatCount(patched)),
  },
  { head: 'Set by (places)', isHiddenOnPhone: true, cell: ({ managers }) => <Managers managers={managers} /> },
  { head: 'First set', isHiddenOnPhone: true, isOneLine: true, cell: ({ firstSet }) => <Ago at={firstSet} /> },
  { head: 'Last set', cell: ({ lastSet }) => <Ago at={lastSet} /> },
]

/** Field managers, most places first. */
function Managers({ managers }: Pick<GateItems['gates'][number], 'managers'>): ReactNode {
  return managers.map(({ manager, places }) => (
    <span key={manager ?? ''} className="inline-item">
      {manager === null ? <span className="quiet">not reported</span> : <code>{manager}</code>}{' '}
      <span className="quiet nums">({formatCount(places)})</span>
    </span>
  ))
}
