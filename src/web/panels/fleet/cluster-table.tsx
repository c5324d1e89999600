import { Fragment, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterItem } from '../../../contract/fleet-clusters.ts'
import { CLUSTER_COLUMNS, FIRST_COLUMNS, type ClusterColumn } from '../../lib/list-preferences.ts'
import type { ClusterListView, ClusterSort } from '../../lib/cluster-view.ts'
import { clusterPath } from '../../lib/paths.ts'
import { countOf } from '../../lib/format-number.ts'
import type { Column } from '../../ui/data-table.tsx'
import { selectColumn } from '../../ui/select-column.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import { CLUSTER_CELLS, FiringBelow, NUMBER_COLUMNS, type CellContext } from './cluster-cells.tsx'
import styles from './cluster-table.module.css'

const SORTS: Readonly<Partial<Record<ClusterColumn, ClusterSort>>> = {
  version: 'version',
  outdated: 'outdated_workloads',
  seen: 'last_seen',
}

const WIDTHS: Readonly<Partial<Record<ClusterColumn, string>>> = {
  state: 'clamp(9.5rem, 12.2vw, 11rem)',
  version: '6.25rem',
  kubevirt: '6.25rem',
  platform: '9.5rem',
  heard: '9rem',
  alerts: '5rem',
  seen: 'clamp(6.25rem, 8vw, 7.25rem)',
}
const TEXT_WIDTH = 'clamp(6rem, 7.2vw, 6.5rem)'

/** When a column goes on a narrower screen: the one that says least first. */
const GOES: Readonly<Partial<Record<ClusterColumn, string | undefined>>> = {
  region: styles.goesFirst,
  provider: styles.goesFirst,
  environment: styles.goesFirst,
  platform: styles.goesSecond,
  flavour: styles.goesSecond,
  channel: styles.goesThird,
  approval: styles.goesThird,
  outdated: styles.goesThird,
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
  return (
    <VirtualDataTable
      label="Clusters"
      className={columns.length >= FIRST_COLUMNS.length ? styles.many : undefined}
      columns={[
        selectClusters(clusters, chosen, onChoose),
        nameColumn(context),
        ...columns.map((column) => columnOf(column, context)),
      ]}
      rows={clusters}
      rowKey={({ cluster }) => cluster}
      rowClass={({ cluster }) => chosen.has(cluster) && 'is-chosen'}
      sort={view}
      onSort={onSort}
      total={total}
      onNeedMore={onNeedMore}
      onToggleRow={(index) => {
        const cluster = clusters[index]?.cluster
        if (cluster !== undefined) onChoose([cluster], !chosen.has(cluster))
      }}
    />
  )
}

function selectClusters(
  clusters: readonly ClusterItem[],
  chosen: ReadonlySet<string>,
  onChoose: ClusterTableProps['onChoose'],
): Column<ClusterItem> {
  const chosenCount = clusters.filter(({ cluster }) => chosen.has(cluster)).length
  return selectColumn({
    verb: 'Select',
    nameOf: ({ cluster }) => cluster,
    isChosen: ({ cluster }) => chosen.has(cluster),
    onChoose: ({ cluster }, isChosen) => {
      onChoose([cluster], isChosen)
    },
    all: {
      name: countOf(clusters.length, 'cluster'),
      chosen: chosenCount === 0 ? 'none' : chosenCount === clusters.length ? 'all' : 'some',
      onChoose: (isChosen) => {
        onChoose(
          clusters.map(({ cluster }) => cluster),
          isChosen,
        )
      },
    },
  })
}

function nameColumn(context: CellContext): Column<ClusterItem, ClusterSort> {
  return {
    head: 'Cluster',
    kind: 'name',
    sort: 'cluster',
    style: { inlineSize: 'clamp(11rem, 13.3vw, 12rem)' },
    cell: ({ cluster }) => (
      <Link href={clusterPath(cluster)} data-row>
        {cluster}
      </Link>
    ),
    below: (cluster) => (
      <>
        {(['state', 'version', 'upgrade'] as const).map((column) => (
          <Fragment key={column}>{CLUSTER_CELLS[column](cluster, context)}</Fragment>
        ))}
        <FiringBelow cluster={cluster.cluster} count={context.alerts?.get(cluster.cluster)} />
      </>
    ),
  }
}

function columnOf(column: ClusterColumn, context: CellContext): Column<ClusterItem, ClusterSort> {
  const sort = SORTS[column]
  return {
    id: column,
    head: CLUSTER_COLUMNS.find(({ name }) => name === column)?.title ?? column,
    kind: NUMBER_COLUMNS.has(column) ? 'number' : 'text',
    isHiddenOnPhone: true,
    className: GOES[column],
    ...(column === 'upgrade' ? {} : { style: { inlineSize: WIDTHS[column] ?? TEXT_WIDTH } }),
    cell: (cluster) => CLUSTER_CELLS[column](cluster, context),
    ...(sort === undefined ? {} : { sort }),
  }
}
