import {
  keepPreviousData,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { ObjectChangeItems } from '../../contract/fleet-changes.ts'
import type { ClusterDetail, ClusterItems } from '../../contract/fleet-clusters.ts'
import type { UnjoinedItems } from '../../contract/fleet-unjoined.ts'
import { questionOfView, type ClusterListView } from '../lib/cluster-view.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer, useApiPages } from './use-api-answer.ts'
import type { DecommissionItems, DecommissionRequest } from '../../contract/decommissions.ts'
import { sendJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'

const CLUSTERS = '/api/fleet/v1/clusters'
const PAGE_CLUSTERS = 200
const COUNTS_POLL_MS = 15_000
const CLUSTER_POLL_MS = 15_000
const UNJOINED_POLL_MS = 60_000

/** The API call of the list. */
export function clustersCall(view: ClusterListView, moment: string | undefined): string {
  return callAt(CLUSTERS, moment, { ...questionOfView(view), limit: String(PAGE_CLUSTERS) })
}

/** The rows, page by page. Not polled: rows do not move while they are read. */
export function useClusters(view: ClusterListView): UseInfiniteQueryResult<InfiniteData<ClusterItems>> {
  const path = clustersCall(view, useMoment())
  return useApiPages<ClusterItems>('clusters', path, COUNTS_POLL_MS)
}

/** The count and the facets: a small answer that is polled. */
export function useClusterCounts(view: ClusterListView): UseQueryResult<ClusterItems> {
  const path = callAt(CLUSTERS, useMoment(), { ...questionOfView(view), facets: 'true', limit: '1' })
  return useApiAnswer<ClusterItems>('cluster-counts', path, {
    placeholderData: keepPreviousData,
    pollMs: COUNTS_POLL_MS,
  })
}

/** Pairs of names that are probably one cluster. */
export function useUnjoined(): UseQueryResult<UnjoinedItems> {
  return useApiAnswer<UnjoinedItems>('unjoined', callAt('/api/fleet/v1/unjoined', useMoment()), {
    pollMs: UNJOINED_POLL_MS,
  })
}

export function clusterCall(cluster: string, moment: string | undefined): string {
  return callAt(`${CLUSTERS}/${encodeURIComponent(cluster)}`, moment)
}

/** What is stored about a cluster, for admins. */
export function storedCall(cluster: string): string {
  return `${CLUSTERS}/${encodeURIComponent(cluster)}/stored`
}

export function useCluster(cluster: string): UseQueryResult<ClusterDetail> {
  const path = clusterCall(cluster, useMoment())
  return useApiAnswer<ClusterDetail>('cluster', path, { pollMs: CLUSTER_POLL_MS })
}

export interface ChangesAsked {
  readonly cluster: string
  readonly limit: number
  /** RFC 3339; empty: no bound. */
  readonly from?: string
  readonly to?: string
}

export function changesCall({ cluster, limit, from = '', to = '' }: ChangesAsked): string {
  return callAt(`${CLUSTERS}/${encodeURIComponent(cluster)}/changes`, undefined, { from, to, limit: String(limit) })
}

/** Changes of the cluster's objects, newest first. */
export function useChanges(asked: ChangesAsked): UseQueryResult<ObjectChangeItems> {
  const moment = useMoment()
  const path = changesCall({ ...asked, to: asked.to ?? moment ?? '' })
  return useApiAnswer<ObjectChangeItems>('changes', path, {
    pollMs: asked.to === undefined ? CLUSTER_POLL_MS : undefined,
  })
}

/** Clusters declared as decommissioned. After each action, every answer that counts clusters is refetched. */

export const DECOMMISSIONS_PATH = '/api/fleet/v1/decommissions'

const COUNTED_KEYS = [
  ...[
    'now',
    'clusters',
    'cluster-counts',
    'cluster',
    'unjoined',
    'gates',
    'configuration',
    'stranded',
    'edges',
    'adoption',
  ],
  ...['stuck', 'upgrades', 'upgrades-at-once', 'upgrade', 'menu-upgrades'],
]

/** All of them or none. */
export function useDecommission(): ApiAction<DecommissionRequest, DecommissionItems> {
  return useApiAction(
    async (request) => (await sendJson('POST', DECOMMISSIONS_PATH, request)) as DecommissionItems,
    COUNTED_KEYS,
  )
}

/** By the ids of the declarations, one after the other. */
export function useWithdraw(): ApiAction<readonly string[], undefined> {
  return useApiAction(async (ids) => {
    for (const id of ids) await sendJson('DELETE', `${DECOMMISSIONS_PATH}/${encodeURIComponent(id)}`)
    return undefined
  }, COUNTED_KEYS)
}
