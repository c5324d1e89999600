import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { OperatorsAnswer } from '../../contract/adoption.ts'
import type { ClusterItems } from '../../contract/fleet-clusters.ts'
import { fetchJson } from './fetch-json.ts'
import { askedAt } from './moment-param.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './use-poll.ts'

/** The present day is counted again every quarter of an hour. */
const POLL_MS = 60_000

export const OPERATORS_CALL = '/api/adoption/v1/operators'

/** An answer about adoption, as `adoptionCall` asks; what was shown stays while a narrower one is fetched. */
export function useAdoption<T>(call: string, isAsked = true): UseQueryResult<T> {
  return useQuery({
    queryKey: ['adoption', call],
    queryFn: ({ signal }) => fetchJson<T>(call, signal),
    refetchInterval: usePollMs('adoption', POLL_MS),
    placeholderData: keepPreviousData,
    enabled: isAsked,
  })
}

/** Which operators were counted, and since when. */
export function useAdoptionOperators(): UseQueryResult<OperatorsAnswer> {
  return useAdoption<OperatorsAnswer>(OPERATORS_CALL)
}

const CLUSTERS_SHOWN = 12

/** Some clusters, those heard of least first; how many there are on all pages stands in the answer. */
export function useClustersOf(search: Readonly<Record<string, readonly string[]>>): UseQueryResult<ClusterItems> {
  const order = { sort: 'last_seen', order: 'asc', limit: String(CLUSTERS_SHOWN) }
  const path = askedAt('/api/fleet/v1/clusters', useMoment(), { ...search, ...order })
  return useQuery({
    queryKey: ['clusters', 'some', path],
    queryFn: ({ signal }) => fetchJson<ClusterItems>(path, signal),
    placeholderData: keepPreviousData,
  })
}
