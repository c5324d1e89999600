import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ConfigurationAnswer, SettingUseItem } from '../../../contract/fleet-configuration.ts'
import type { Search } from '../../lib/address.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { settingPath } from '../../lib/paths.ts'
import { settingText, valueText } from '../../lib/setting-text.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'

interface SettingTableProps {
  readonly settings: ConfigurationAnswer['settings']
  /** Of the page: the filter stays. */
  readonly search: Search
}

/** Settings but feature gates; those with outliers first. */
export function SettingTable({ settings, search }: SettingTableProps): ReactNode {
  const rows = settings
    .filter(({ name }) => !name.startsWith('featureGates.'))
    .toSorted((a, b) => b.outliers - a.outliers)
  const columns: readonly Column<SettingUseItem>[] = [
    {
      head: 'Setting',
      kind: 'name',
      cell: ({ name }) => (
        <Link href={settingPath(name, search)} data-row>
          {name}
        </Link>
      ),
      csv: ({ name }) => name,
      isBelowStacked: true,
      below: (row) => <span>{valuesText(row)}</span>,
    },
    ...COLUMNS,
  ]
  return (
    <DataTable
      label="Settings in use"
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
      csvName="configuration"
      empty={<p className="empty quiet">No cluster reports settings.</p>}
    />
  )
}

const VALUES_SHOWN = 3

function valuesText({ values, reporting, otherClusters }: SettingUseItem): string {
  const shown = values.slice(0, VALUES_SHOWN).map(({ value, default: isDefault, clusters }) => {
    return `${valueText({ value, isDefault })} ${formatShare(clusters, reporting)}`
  })
  const more = values.length - shown.length + (otherClusters > 0 ? 1 : 0)
  return [...shown, ...(more > 0 ? [countOf(more, 'other')] : [])].join(' · ')
}

const COLUMNS: readonly Column<SettingUseItem>[] = [
  { head: 'Values by share', isHiddenOnPhone: true, cell: (row) => valuesText(row), csv: (row) => valuesText(row) },
  {
    head: 'Compared with',
    isHiddenOnPhone: true,
    cell: ({ reference }) => {
      if (reference === null) return <span className="quiet">no majority</span>
      if (reference.by === 'majority' && reference.default) return 'default'
      return settingText(reference.value)
    },
  },
  {
    head: 'Reporting',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ reporting }) => formatCount(reporting),
    csv: ({ reporting }) => reporting,
  },
  {
    head: 'Outliers',
    kind: 'number',
    cell: ({ outliers }) => (outliers === 0 ? '–' : <strong>{formatCount(outliers)}</strong>),
    csv: ({ outliers }) => outliers,
  },
]
