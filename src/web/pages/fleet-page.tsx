import { sortedBy } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterItem, ClusterItems } from '../../contract/fleet-clusters.ts'
import { type ClusterListView, CLUSTER_VIEW } from '../lib/cluster-view.ts'
import { searchOf } from '../lib/address.ts'
import { clustersPath } from '../lib/paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { ConnectCluster } from '../panels/connect-cluster.tsx'
import { ClusterTable, type FiringCount } from '../panels/fleet/cluster-table.tsx'
import { ClusterFilters } from '../panels/fleet/cluster-filters.tsx'
import { ClusterSelection } from '../panels/fleet/cluster-selection.tsx'
import { FleetCoverageNote } from '../panels/fleet/fleet-coverage.tsx'
import { ListTaste, useClusterColumns } from '../panels/fleet/list-taste.tsx'
import { UnjoinedPairs } from '../panels/fleet/unjoined-pairs.tsx'
import { ListChangesBar } from '../panels/list-changes-bar.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { clustersCall, useClusterCounts, useClusters } from '../query/use-clusters.ts'
import { useAlerts } from '../query/use-fleet.ts'
import { useMoment } from '../query/use-moment.ts'
import { Button } from '../ui/button.tsx'
import { DataAge } from '../ui/data-age.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { useKeys } from '../ui/use-keys.ts'

/** All clusters of the fleet. */
export function FleetPage(): ReactNode {
  const { view, change } = useView(CLUSTER_VIEW, clustersPath)
  const moment = useMoment()
  const rows = useClusters(view)
  const counts = useClusterCounts(view)
  useKeys({
    u: () => {
      void rows.refetch()
    },
  })
  return (
    <div className="page">
      <title>Clusters · Daytwo</title>
      <h1 className="visually-hidden">Fleet: clusters</h1>
      <PagesNav place="Fleet" />
      <Answer query={counts} what="the clusters" skeletonLines={14} call={clustersCall(view, moment)}>
        {(counted) =>
          counted.coverage.clusters + counted.coverage.gone === 0 ? (
            <ConnectCluster />
          ) : (
            <>
              <UnjoinedPairs />
              <ClusterFilters view={view} onChange={change} facets={counted.facets ?? undefined}>
                <ListTaste search={searchOf(CLUSTER_VIEW.searchOf(view))} />
              </ClusterFilters>
              <Answer query={rows} what="the list of clusters" skeletonLines={12} call={clustersCall(view, moment)}>
                {({ pages }) => (
                  <ClusterList
                    key={clustersCall(view, moment)}
                    pages={pages}
                    counted={counted}
                    view={view}
                    onChange={change}
                    onRefresh={() => {
                      void rows.refetch()
                    }}
                    isRefreshing={rows.isFetching}
                    onNeedMore={() => {
                      if (rows.hasNextPage && !rows.isFetching) void rows.fetchNextPage()
                    }}
                  />
                )}
              </Answer>
            </>
          )
        }
      </Answer>
    </div>
  )
}

interface ClusterListProps {
  readonly pages: readonly ClusterItems[]
  readonly counted: ClusterItems
  readonly view: ClusterListView
  readonly onChange: (view: ClusterListView) => void
  readonly onRefresh: () => void
  readonly isRefreshing: boolean
  readonly onNeedMore: () => void
}

function ClusterList(props: ClusterListProps): ReactNode {
  const { pages, counted, view, onChange, onRefresh, isRefreshing, onNeedMore } = props
  const moment = useMoment()
  const columns = useClusterColumns()
  const clusters = useMemo(() => pages.flatMap((page): readonly ClusterItem[] => page.clusters), [pages])
  const firing = useFiringByCluster()
  const versions = counted.facets?.versions
  const context = useMemo(() => ({ versions: versions ?? [], alerts: firing }), [versions, firing])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const choose = useCallback((names: readonly string[], isChosen: boolean) => {
    setChosen((before) => {
      const next = new Set(before)
      for (const name of names) {
        if (isChosen) next.add(name)
        else next.delete(name)
      }
      return next
    })
  }, [])
  const total = pages[0]?.total ?? 0
  const { clusters: here, gone } = counted.coverage
  const listed = view.states.includes('gone') ? here + gone : here
  const goneFitting = counted.facets?.states.find(({ value }) => value === 'gone')?.count ?? 0
  const asOf = pages[0]?.asOf
  const newer = counted.total - total
  return (
    <>
      <ListChangesBar
        news={{ newCount: Math.max(0, newer), goneCount: Math.max(0, -newer) }}
        noun="cluster"
        onShow={onRefresh}
      />
      <ListLine
        count={
          CLUSTER_VIEW.isNarrowed(view)
            ? `${formatCount(total)} of ${countOf(listed, 'cluster')}`
            : countOf(total, 'cluster')
        }
      >
        <DataAge asOf={asOf} />
        <Button variant="inline" isAriaDisabled={isRefreshing} onClick={onRefresh}>
          {isRefreshing ? 'Loading…' : 'Refresh'} <kbd>u</kbd>
        </Button>
        <FleetCoverageNote coverage={counted.coverage} />
        <ApiCallNote call={{ path: clustersCall(view, moment) }} />
      </ListLine>
      {total === 0 ? (
        <p className="empty quiet">
          No cluster matches these filters.
          {goneFitting === 0 || view.states.includes('gone') ? null : (
            <>
              {' '}
              <Link href={clustersPath(CLUSTER_VIEW.searchOf({ ...view, states: ['gone'] }))}>
                {countOf(goneFitting, 'decommissioned cluster matches', 'decommissioned clusters match')}
              </Link>
              .
            </>
          )}
        </p>
      ) : (
        <ClusterTable
          clusters={clusters}
          total={total}
          columns={columns}
          view={view}
          context={context}
          chosen={chosen}
          onChoose={choose}
          onSort={(sort) => {
            onChange(sortedBy(view, sort, 'cluster'))
          }}
          onNeedMore={onNeedMore}
        />
      )}
      <ClusterSelection
        clusters={clusters}
        chosen={chosen}
        onClear={() => {
          setChosen(new Set())
        }}
      />
    </>
  )
}

function useFiringByCluster(): ReadonlyMap<string, FiringCount> | undefined {
  const alerts = useAlerts().data?.alerts
  return useMemo(() => {
    if (alerts === undefined) return undefined
    const counts = new Map<string, FiringCount>()
    for (const { cluster, severity, state } of alerts) {
      if (state !== 'firing') continue
      const { firing, critical } = counts.get(cluster) ?? { firing: 0, critical: 0 }
      counts.set(cluster, { firing: firing + 1, critical: critical + (severity === 'critical' ? 1 : 0) })
    }
    return counts
  }, [alerts])
}
