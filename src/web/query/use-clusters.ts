import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ObjectChangeItems } from '../../contract/fleet-changes.ts'
import type { ClusterDetail, ClusterItems } from '../../contract/fleet-clusters.ts'
import { questionOfView } from '../lib/cluster-view.ts'
import type { ClusterListView } from '../lib/cluster-view.ts'
import { fetchJson } from './fetch-json.ts'
import { askedAt } from './moment-param.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './use-poll.ts'

const CLUSTERS = '/api/fleet/v1/clusters'
const PAGE_CLUSTERS = 500
const COUNTS_POLL_MS = 15_000
const CLUSTER_POLL_MS = 15_000

/** The address of the list as it is shown, for those who ask it themselves. */
export function clustersCall(view: ClusterListView, moment: string | undefined): string {
  return askedAt(CLUSTERS, moment, { ...questionOfView(view), limit: String(PAGE_CLUSTERS) })
}

/** The rows, a page at a time. They are not polled: rows do not move while they are read. */
export function useClusters(view: ClusterListView): UseInfiniteQueryResult<InfiniteData<ClusterItems>> {
  const moment = useMoment()
  const path = clustersCall(view, moment)
  return useInfiniteQuery({
    queryKey: ['clusters', path],
    queryFn: ({ signal, pageParam }) =>
      fetchJson<ClusterItems>(pageParam === '' ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: COUNTS_POLL_MS,
  })
}

/** How many there are, and what the list can be narrowed to: small, and kept up to date. */
export function useClusterCounts(view: ClusterListView): UseQueryResult<ClusterItems> {
  const moment = useMoment()
  const path = askedAt(CLUSTERS, moment, { ...questionOfView(view), facets: 'true', limit: '1' })
  return useQuery({
    queryKey: ['cluster-counts', path],
    queryFn: ({ signal }) => fetchJson<ClusterItems>(path, signal),
    placeholderData: keepPreviousData,
    refetchInterval: usePollMs('cluster-counts', COUNTS_POLL_MS),
  })
}

export function clusterCall(cluster: string, moment: string | undefined): string {
  return askedAt(`${CLUSTERS}/${encodeURIComponent(cluster)}`, moment)
}

export function useCluster(cluster: string): UseQueryResult<ClusterDetail> {
  const moment = useMoment()
  const path = clusterCall(cluster, moment)
  return useQuery({
    queryKey: ['cluster', path],
    queryFn: ({ signal }) => fetchJson<ClusterDetail>(path, signal),
    refetchInterval: usePollMs('cluster', CLUSTER_POLL_MS),
  })
}

export interface ChangesAsked {
  readonly cluster: string
  readonly limit: number
  /** RFC 3339; empty: whatever there is. */
  readonly from?: string
  readonly to?: string
}

export function changesCall({ cluster, limit, from = '', to = '' }: ChangesAsked): string {
  return askedAt(`${CLUSTERS}/${encodeURIComponent(cluster)}/changes`, undefined, { from, to, limit: String(limit) })
}

/** What changed of its objects, newest first. */
export function useChanges(asked: ChangesAsked): UseQueryResult<ObjectChangeItems> {
  const moment = useMoment()
  const path = changesCall({ ...asked, to: asked.to ?? moment ?? '' })
  const pollMs = usePollMs('changes', CLUSTER_POLL_MS)
  return useQuery({
    queryKey: ['changes', path],
    queryFn: ({ signal }) => fetchJson<ObjectChangeItems>(path, signal),
    refetchInterval: asked.to === undefined ? pollMs : false,
  })
}
