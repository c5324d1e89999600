import type { ReactNode } from 'react'
import type { SilentClusterItem } from '../../contract/now.ts'
import { msOf } from '../lib/format-time.ts'
import type { Steady } from '../lib/steady-list.ts'
import { phaseWords } from '../lib/fleet-names.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { Since } from '../ui/time.tsx'
import { ClusterLink } from './cluster-link.tsx'
import { StuckMark, Versions } from './upgrade-cells.tsx'

/** Clusters that reported earlier and do not report now. Whether an upgrade that was active goes on is unknown. */
export function SilentList({ clusters }: { readonly clusters: readonly Steady<SilentClusterItem>[] }): ReactNode {
  return <DataTable label="Silent clusters" columns={COLUMNS} rows={clusters} rowKey={({ cluster }) => cluster} />
}

const COLUMNS: readonly Column<Steady<SilentClusterItem>>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    cell: (row) => (
      <>
        <ClusterLink cluster={row.cluster} /> <GoneMark row={row} />
        {row.upgrade === null ? null : (
          <span className="own-labels">
            in an upgrade then: <Versions from={row.upgrade.from} to={row.upgrade.to} />,{' '}
            {phaseWords(row.upgrade.phase)} {row.upgrade.stuck ? <StuckMark /> : null}
          </span>
        )}
      </>
    ),
  },
  { head: 'Last version', cell: ({ version }) => <span className="nums">{version ?? 'unknown'}</span> },
  { head: 'Last seen', kind: 'number', cell: ({ lastSeenAt }) => <Since atMs={msOf(lastSeenAt)} suffix=" ago" /> },
]
