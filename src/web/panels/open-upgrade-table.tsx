import type { ReactNode } from 'react'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import type { Steady } from '../lib/steady-list.ts'
import { GoneMark } from '../ui/gone-mark.tsx'
import { ClusterLink, Started, UpgradeVersions } from './upgrade-cells.tsx'

type OpenUpgrade = Pick<OpenUpgradeItem, 'id' | 'cluster' | 'operator' | 'from' | 'to'>

export interface OpenUpgradeColumn<T> {
  readonly head: string
  readonly cell: (upgrade: T) => ReactNode
  /** Of digits alone. */
  readonly isCount?: boolean
  /** Left out where there is little room. */
  readonly isBeside?: boolean
}

interface OpenUpgradeTableProps<T> {
  readonly label: string
  readonly upgrades: readonly Steady<T>[]
  /** How it stands, in words; where there is little room it stands below the cluster. */
  readonly says?: OpenUpgradeColumn<T>
  readonly numbers: readonly OpenUpgradeColumn<T>[]
  /** Beside the name of the cluster; such rows are as long as they need. */
  readonly note?: (upgrade: T) => ReactNode
}

/** Open upgrades of the landing page: the cluster, which versions, how it stands, since when. */
export function OpenUpgradeTable<T extends OpenUpgrade>(props: OpenUpgradeTableProps<T>): ReactNode {
  const { label, upgrades, says, numbers, note } = props
  const [nameClass, belowClass, versionsClass] =
    note === undefined
      ? ['cell-name cell-nowrap', 'cell-below cell-below-block cell-wraps', 'nums cell-nowrap cell-beside']
      : ['cell-name', 'cell-below cell-below-block', 'cell-beside']
  return (
    <table aria-label={label} className="data-table">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          {['Versions', ...(says === undefined ? [] : [says.head])].map((head) => (
            <th key={head} scope="col" className="cell-beside">
              {head}
            </th>
          ))}
          {numbers.map((column) => (
            <th key={column.head} scope="col" className={numberClass(column)}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {upgrades.map((upgrade) => (
          <tr key={upgrade.id}>
            <td className={nameClass}>
              <ClusterLink cluster={upgrade.cluster} /> <GoneMark row={upgrade} />
              {note === undefined ? null : <span className="own-labels">{note(upgrade)}</span>}
              <span className={belowClass}>
                <UpgradeVersions upgrade={upgrade} />
                {says?.cell(upgrade)}
              </span>
            </td>
            <td className={versionsClass}>
              <UpgradeVersions upgrade={upgrade} />
            </td>
            {says === undefined ? null : <td className="cell-beside">{says.cell(upgrade)}</td>}
            {numbers.map((column) => (
              <td key={column.head} className={`${numberClass(column)}${column.isCount === true ? ' nums' : ''}`}>
                {column.cell(upgrade)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function numberClass({ isBeside = false }: Pick<OpenUpgradeColumn<never>, 'isBeside'>): string {
  return isBeside ? 'cell-number cell-beside' : 'cell-number'
}

export const STARTED: OpenUpgradeColumn<OpenUpgradeItem> = {
  head: 'Started',
  isBeside: true,
  cell: (upgrade) => <Started upgrade={upgrade} />,
}
