import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import { metricsPath, clusterPath } from '../../lib/paths.ts'
import type { ColumnSetting } from '../../../model/dashboard.ts'
import { plainColumn, type TableRow } from '../../lib/dashboards/table.ts'
import type { Label } from '../../lib/promql-table.ts'
import { TablePanel } from '../dashboards/table-panel.tsx'
import styles from './label-links.module.css'
import tableStyles from './table-result.module.css'

/** The page about the value of a label: of a cluster, of a metric; `undefined`: there is none. */
function pageOfLabel(name: string, value: string): string | undefined {
  if (value === '') return undefined
  if (name === 'cluster') return clusterPath(value)
  if (name === '__name__') return metricsPath({ show: 'all', metric: value })
  return undefined
}

/** Labels that all series have, once for all. */
export function SharedLabels({ labels }: { readonly labels: readonly Label[] }): ReactNode {
  if (labels.length === 0) return null
  return (
    <p className={`row row-text text-small space-above touch-links ${styles.root}`}>
      {labels.map(([name, value]) => {
        const page = pageOfLabel(name, value)
        return (
          <span key={name}>
            <span className="quiet">{name === '__name__' ? 'metric' : name}</span>{' '}
            {page === undefined ? value : <Link href={page}>{value}</Link>}
          </span>
        )
      })}
    </p>
  )
}

interface SeriesTableProps extends Pick<ComponentProps<typeof TablePanel>, 'title' | 'rows' | 'formatContext'> {
  readonly columns: readonly ColumnSetting[]
  readonly labelsOf: (row: TableRow) => Readonly<Record<string, string>> | undefined
  /** The content of a cell that is no label. */
  readonly renderCell: (row: TableRow, column: string, text: string) => ReactNode
}

const NO_VALUES = new Map<string, never>()
/** Rows that are found faster by reading than by typing. */
const READ_MAX = 20

/** A row for each series; labels link to the pages about their values. */
export function SeriesTable({ columns, labelsOf, renderCell, ...table }: SeriesTableProps): ReactNode {
  const canFilter = table.rows.length > READ_MAX
  return (
    <div className={`stack ${tableStyles.root}`}>
      <TablePanel
        {...table}
        options={{ columns, isColumnHidden: true, cells: [], density: 'standard', canFilter }}
        values={NO_VALUES}
        renderCell={(row, column, text) => {
          const page = pageOfLabel(column, labelsOf(row)?.[column] ?? '')
          return renderCell(row, column, text) ?? (page === undefined ? undefined : <Link href={page}>{text}</Link>)
        }}
      />
    </div>
  )
}

/** The columns of labels, by the names of these. */
export function labelColumns(names: readonly string[]): readonly ColumnSetting[] {
  return names.map((name) => ({ ...plainColumn(name), header: name === '__name__' ? 'metric' : '' }))
}
