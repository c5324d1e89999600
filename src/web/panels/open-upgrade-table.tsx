import type { ReactNode } from 'react'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import type { Steady } from '../lib/steady-list.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { ClusterLink } from './cluster-link.tsx'
import { Started, UpgradeVersions } from './upgrade-cells.tsx'

type OpenUpgrade = Pick<OpenUpgradeItem, 'id' | 'cluster' | 'operator' | 'from' | 'to'>

interface OpenUpgradeTableProps<T> {
  readonly label: string
  readonly upgrades: readonly Steady<T>[]
  /** State or cause in words; on a phone it is below the name of the cluster. */
  readonly text?: Column<Steady<T>>
  readonly numbers: readonly Column<Steady<T>>[]
  /** Below the name of the cluster; such rows are as high as they need. */
  readonly note?: (upgrade: T) => ReactNode
}

/** Active upgrades of the landing page: cluster, versions, state, start. */
export function OpenUpgradeTable<T extends OpenUpgrade>(props: OpenUpgradeTableProps<T>): ReactNode {
  const { label, upgrades, text, numbers, note } = props
  const isOneLine = note === undefined
  const columns: readonly Column<Steady<T>>[] = [
    {
      head: 'Cluster',
      kind: 'name',
      isOneLine,
      isBelowStacked: true,
      cell: (upgrade) => (
        <>
          <ClusterLink cluster={upgrade.cluster} /> <GoneMark row={upgrade} />
          {note === undefined ? null : <span className="own-labels">{note(upgrade)}</span>}
        </>
      ),
      below: (upgrade) => (
        <>
          <UpgradeVersions upgrade={upgrade} />
          {text?.cell(upgrade, 0)}
        </>
      ),
    },
    { head: 'Versions', isOneLine, isHiddenOnPhone: true, cell: (upgrade) => <UpgradeVersions upgrade={upgrade} /> },
    ...(text === undefined ? [] : [{ ...text, isHiddenOnPhone: true }]),
    ...numbers,
  ]
  return <DataTable label={label} columns={columns} rows={upgrades} rowKey={({ id }) => id} />
}

export const STARTED: Column<OpenUpgradeItem> = {
  head: 'Started',
  kind: 'number',
  isHiddenOnPhone: true,
  cell: (upgrade) => <Started upgrade={upgrade} />,
}
