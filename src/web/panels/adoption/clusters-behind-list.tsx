import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ShareAnswer, WorkloadsAnswer } from '../../../contract/adoption.ts'
import type { ClusterItem } from '../../../contract/fleet-clusters.ts'
import { adoptionCall } from '../../lib/adoption-call.ts'
import { clustersPath } from '../../lib/paths.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import type { ClustersBehind } from '../../lib/adoption-shares.ts'
import { useAdoption, useClustersOf } from '../../query/use-adoption.ts'
import { useMoment } from '../../query/use-moment.ts'
import { BarList } from '../../ui/bar-list.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Since } from '../../ui/time.tsx'
import { Answer } from '../answer.tsx'
import { ClusterLink } from '../cluster-link.tsx'
import type { AdoptionPart } from './chart-panel.tsx'
import { FacetSelect } from './facet-select.tsx'

interface ClustersBehindListProps {
  readonly part: AdoptionPart
  readonly older: ClustersBehind
}

/** The clusters behind the version: by facet, with their VMs, and by name. */
export function ClustersBehindList({ part, older }: ClustersBehindListProps): ReactNode {
  const versions = older.versions.map(({ version }) => version)
  if (versions.length === 0) {
    return <p className="quiet empty">No reporting cluster is behind this version.</p>
  }
  return (
    <div className="parts">
      <BehindCohorts part={part} older={older} versions={versions} />
      <BehindClusters versions={versions} />
    </div>
  )
}

function BehindCohorts({
  part,
  older,
  versions,
}: ClustersBehindListProps & { readonly versions: readonly string[] }): ReactNode {
  const { view, change, asked } = part
  const days = { ...asked, from: older.day, to: older.day }
  const query = useAdoption<ShareAnswer>(adoptionCall('share', view, { ...days, by: view.cohort, version: versions }))
  const machines = useAdoption<WorkloadsAnswer>(adoptionCall('workloads', view, asked)).data
  return (
    <div>
      <h3 className="row row-text spaced">
        Clusters by{' '}
        <FacetSelect
          value={view.cohort}
          onChange={(cohort) => {
            change({ cohort })
          }}
          label="Clusters by"
        />
      </h3>
      <Answer query={query} what="the clusters by property" skeletonLines={3}>
        {({ series, known, telling }) => {
          const bars = series.map(({ value, clusters }) => ({ key: value, count: clusters[0] ?? 0 }))
          const unreported = (known[0] ?? 0) - (telling[0] ?? 0)
          return (
            <BarList
              bars={[
                ...bars.toSorted((a, b) => b.count - a.count),
                ...(unreported > 0 ? [{ key: 'not known', count: unreported }] : []),
              ]}
              total={known[0] ?? 0}
            />
          )
        }}
      </Answer>
      {machines === undefined ? null : <p className="quiet">{machinesOf(machines, versions, older.day)}</p>}
    </div>
  )
}

function machinesOf({ days, versions }: WorkloadsAnswer, wanted: readonly string[], day: string): string {
  const at = days.indexOf(day)
  const own = versions.filter(({ version }) => wanted.includes(version))
  const count = own.reduce((sum, { machines }) => sum + (machines[at] ?? 0), 0)
  return count === 0
    ? 'No running VM reported on these clusters.'
    : `${countOf(count, 'VM')} running on these clusters.`
}

function BehindClusters({ versions }: { readonly versions: readonly string[] }): ReactNode {
  const isLive = useMoment() === undefined
  const query = useClustersOf({ version: versions })
  const all = <Link href={clustersPath({ version: versions })}>Show all in Fleet</Link>
  return (
    <div>
      <h3 className="row row-text spaced">Clusters, longest without a report first</h3>
      <Answer query={query} what="the clusters" skeletonLines={4}>
        {({ clusters, total }) =>
          total === 0 ? (
            <p className="quiet empty">
              {isLive
                ? 'No known cluster runs one of these versions now.'
                : 'No cluster known at that time ran one of these versions.'}
            </p>
          ) : (
            <>
              <DataTable
                label="Clusters on older versions"
                look="prose"
                columns={CLUSTER_COLUMNS}
                rows={clusters}
                rowKey={({ cluster }) => cluster}
              />
              <p className="quiet">
                {clusters.length < total
                  ? `${formatCount(clusters.length)} of ${formatCount(total)} ${isLive ? 'now' : 'then'}. `
                  : ''}
                {all}, silent ones included.
              </p>
            </>
          )
        }
      </Answer>
    </div>
  )
}

const CLUSTER_COLUMNS: readonly Column<ClusterItem>[] = [
  { head: 'Cluster', cell: ({ cluster }) => <ClusterLink cluster={cluster} /> },
  { head: 'Version', className: 'nums', cell: ({ version }) => version ?? 'not known' },
  { head: 'Channel', cell: ({ channel }) => channel ?? <span className="quiet">not known</span> },
  {
    head: 'Last seen',
    isOneLine: true,
    cell: ({ lastSeenAt }) => <Since atMs={Date.parse(lastSeenAt)} suffix=" ago" />,
  },
]
