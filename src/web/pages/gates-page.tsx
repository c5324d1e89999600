import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { GateItems } from '../../contract/fleet-gates.ts'
import { gatePath } from '../lib/paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { FleetCoverageNote, NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { gatesCall, useGates } from '../query/use-gates.ts'
import { useMoment } from '../query/use-moment.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Ago } from '../ui/time.tsx'

/** All feature gates that are set, with their clusters. */
export function GatesPage(): ReactNode {
  const moment = useMoment()
  return (
    <div className="page">
      <title>Feature gates · Daytwo</title>
      <h1 className="visually-hidden">Fleet: feature gates</h1>
      <PagesNav place="Fleet" />
      <Answer query={useGates()} what="the feature gates" skeletonLines={10}>
        {(answer) => <GateTable answer={answer} />}
      </Answer>
      <ApiCallNote call={{ path: gatesCall(moment) }} />
    </div>
  )
}

function GateTable({ answer: { gates, telling, coverage } }: { readonly answer: GateItems }): ReactNode {
  if (coverage.clusters === 0) return <NoClusterNote />
  return (
    <>
      <ListLine count={countOf(gates.length, 'feature gate')}>
        <span className="quiet">
          {formatCount(telling)} of {countOf(coverage.clusters, 'cluster')} report the settings of HyperConverged
        </span>
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      {gates.length === 0 ? (
        <p className="empty quiet">
          No feature gate is set on a reporting cluster. A gate that is not set has the default of its version.
        </p>
      ) : (
        <DataTable
          label="Feature gates that are set"
          look="boxed"
          columns={COLUMNS}
          rows={gates}
          rowKey={({ gate }) => gate}
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
  { head: 'On', kind: 'number', cell: ({ on }) => formatCount(on) },
  { head: 'Off', kind: 'number', cell: ({ off }) => formatCount(off) },
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
