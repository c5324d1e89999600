import { memo } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterItem } from '../../../contract/fleet-clusters.ts'
import { CLUSTER_COLUMNS, FIRST_COLUMNS } from '../../lib/cluster-columns.ts'
import type { ClusterColumn } from '../../lib/cluster-columns.ts'
import type { ClusterListView, ClusterSort } from '../../lib/cluster-view.ts'
import { clusterPath } from '../../lib/fleet-paths.ts'
import { countOf } from '../../lib/format-number.ts'
import { SortHead } from '../../ui/sort-head.tsx'
import { VirtualRow } from '../../ui/virtual-row.tsx'
import type { RowPlace } from '../../ui/virtual-row.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'
import { CLUSTER_CELLS, FiringBelow, NUMBER_COLUMNS } from './cluster-cells.tsx'
import type { CellContext } from './cluster-cells.tsx'

const SORTS: Readonly<Partial<Record<ClusterColumn, ClusterSort>>> = {
  version: 'version',
  outdated: 'outdated_workloads',
  seen: 'last_seen',
}

interface ClusterTableProps {
  readonly clusters: readonly ClusterItem[]
  readonly total: number
  readonly columns: readonly ClusterColumn[]
  readonly view: ClusterListView
  readonly context: CellContext
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (clusters: readonly string[], isChosen: boolean) => void
  readonly onSort: (sort: ClusterSort) => void
  readonly onNeedMore: () => void
}

/** Clusters as rows, as many as there are. */
export function ClusterTable(props: ClusterTableProps): ReactNode {
  const { clusters, total, columns, view, context, chosen, onChoose, onSort, onNeedMore } = props
  const chosenCount = clusters.filter(({ cluster }) => chosen.has(cluster)).length
  const areAllChosen = clusters.length > 0 && chosenCount === clusters.length
  return (
    <VirtualTable
      label="Clusters"
      className={`cluster-table ${columns.length >= FIRST_COLUMNS.length ? 'has-many-columns' : ''}`}
      loaded={clusters.length}
      total={total}
      onNeedMore={onNeedMore}
      onToggleRow={(index) => {
        const cluster = clusters[index]?.cluster
        if (cluster !== undefined) onChoose([cluster], !chosen.has(cluster))
      }}
      head={
        <>
          <th scope="col" className="cell-select">
            <label>
              <input
                type="checkbox"
                checked={areAllChosen}
                ref={(box) => {
                  if (box !== null) box.indeterminate = chosenCount > 0 && !areAllChosen
                }}
                onChange={(event) => {
                  onChoose(
                    clusters.map(({ cluster }) => cluster),
                    event.target.checked,
                  )
                }}
              />
              <span className="visually-hidden">Select {countOf(clusters.length, 'cluster')}</span>
            </label>
          </th>
          <SortHead title="Cluster" sort="cluster" current={view} onSort={onSort} className="column-name" />
          {columns.map((column) => {
            const title = CLUSTER_COLUMNS.find(({ name }) => name === column)?.title ?? column
            const sort = SORTS[column]
            const className = classOf(column)
            return sort === undefined ? (
              <th key={column} scope="col" className={className}>
                {title}
              </th>
            ) : (
              <SortHead key={column} title={title} sort={sort} current={view} onSort={onSort} className={className} />
            )
          })}
        </>
      }
      renderRow={(index, place) => {
        const cluster = clusters[index]!
        return (
          <ClusterRow
            key={cluster.cluster}
            cluster={cluster}
            columns={columns}
            context={context}
            isChosen={chosen.has(cluster.cluster)}
            onChoose={onChoose}
            {...place}
          />
        )
      }}
    />
  )
}

function classOf(column: ClusterColumn): string {
  return `cell-beside column-${column} ${NUMBER_COLUMNS.has(column) ? 'cell-number' : ''}`
}

interface ClusterRowProps extends RowPlace {
  readonly cluster: ClusterItem
  readonly columns: readonly ClusterColumn[]
  readonly context: CellContext
  readonly isChosen: boolean
  readonly onChoose: ClusterTableProps['onChoose']
}

/** Kept as it is while nothing of it changes: scrolling draws new rows only. */
const ClusterRow = memo(function ClusterRow(props: ClusterRowProps): ReactNode {
  const { cluster, columns, context, isChosen, onChoose, index, topPx, measure } = props
  const cell = (column: ClusterColumn): ReactNode => CLUSTER_CELLS[column](cluster, context)
  return (
    <VirtualRow index={index} topPx={topPx} measure={measure} className={isChosen ? 'is-chosen' : ''}>
      <td className="cell-select">
        <label>
          <input
            type="checkbox"
            aria-label={`Select ${cluster.cluster}`}
            checked={isChosen}
            onChange={(event) => {
              onChoose([cluster.cluster], event.target.checked)
            }}
          />
        </label>
      </td>
      <td className="cell-name column-name">
        <Link href={clusterPath(cluster.cluster)} data-row>
          {cluster.cluster}
        </Link>
        <span className="cell-below">
          {cell('state')}
          {cell('version')}
          {cell('upgrade')}
          <FiringBelow cluster={cluster.cluster} count={context.alerts?.get(cluster.cluster)} />
        </span>
      </td>
      {columns.map((column) => (
        <td key={column} className={classOf(column)}>
          {cell(column)}
        </td>
      ))}
    </VirtualRow>
  )
})
