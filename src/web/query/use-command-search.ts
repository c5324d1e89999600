import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ClusterItems } from '../../contract/fleet-clusters.ts'
import type { UpgradeItems } from '../../contract/fleet-upgrades.ts'
import { CLUSTER_STATES } from '../../model/cluster-record.ts'
import { fetchData } from './fetch-json.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { NAMES_PATH } from './use-metrics.ts'

/** Requests of the command menu while somebody types. The next key cancels a request. */

const FOUND_MAX = '20'
const STALE_MS = 60_000

/** Clusters, also decommissioned ones, with the text in one of their names. */
export function useFoundClusters(text: string): UseQueryResult<ClusterItems> {
  const path = callAt('/api/fleet/v1/clusters', useMoment(), { text, state: CLUSTER_STATES, limit: FOUND_MAX })
  return useApiAnswer<ClusterItems>('clusters', path, {
    enabled: text !== '',
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  })
}

/** Active upgrades, or the newest of all. */
export function useMenuUpgrades(state: 'in_progress' | ''): UseQueryResult<UpgradeItems> {
  const path = callAt('/api/fleet/v1/upgrades', useMoment(), { state, limit: '100' })
  return useApiAnswer<UpgradeItems>('menu-upgrades', path, { staleTime: STALE_MS })
}

export function useMetricNames(isWanted: boolean): UseQueryResult<readonly string[]> {
  return useQuery({
    queryKey: ['metric-names'],
    queryFn: ({ signal }) => fetchData<readonly string[]>(NAMES_PATH, signal),
    enabled: isWanted,
    staleTime: STALE_MS,
  })
}
