import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ClusterItems } from '../../contract/fleet-clusters.ts'
import type { UpgradeItems } from '../../contract/fleet-upgrades.ts'
import { CLUSTER_STATES } from '../../model/cluster-record.ts'
import { fetchJson } from './fetch-json.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { NAMES_PATH } from './use-metrics.ts'

/** What the command menu asks while somebody types. A question that was typed over is given up. */

const FOUND_MAX = '20'
const STALE_MS = 60_000

/** Clusters whose name, or another name they go by, has this in it; also those that are gone. */
export function useFoundClusters(text: string): UseQueryResult<ClusterItems> {
  const path = callAt('/api/fleet/v1/clusters', useMoment(), { text, state: CLUSTER_STATES, limit: FOUND_MAX })
  return useApiAnswer<ClusterItems>('clusters', path, {
    enabled: text !== '',
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  })
}

/** Those that run, or the newest of all. */
export function useMenuUpgrades(state: 'in_progress' | ''): UseQueryResult<UpgradeItems> {
  const path = callAt('/api/fleet/v1/upgrades', useMoment(), { state, limit: '100' })
  return useApiAnswer<UpgradeItems>('menu-upgrades', path, { staleTime: STALE_MS })
}

export function useMetricNames(isWanted: boolean): UseQueryResult<readonly string[]> {
  return useQuery({
    queryKey: ['metric-names'],
    queryFn: async ({ signal }) => (await fetchJson<{ readonly data: readonly string[] }>(NAMES_PATH, signal)).data,
    enabled: isWanted,
    staleTime: STALE_MS,
  })
}
