import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query'
import type { OperatorsAnswer } from '../../contract/adoption.ts'
import type { ClusterItems } from '../../contract/fleet-clusters.ts'
import { callAt, useMoment } from './use-moment.ts'
import { useApiAnswer } from './use-api-answer.ts'

/** The server recounts the present day every 15 minutes. */
const POLL_MS = 60_000

export const OPERATORS_CALL = '/api/adoption/v1/operators'

/** The answer to an `adoptionCall`; the previous answer stays while another one is loading. */
export function useAdoption<T>(call: string, isAsked = true): UseQueryResult<T> {
  return useApiAnswer<T>('adoption', call, { pollMs: POLL_MS, placeholderData: keepPreviousData, enabled: isAsked })
}

/** The counted operators, and the first counted day. */
export function useAdoptionOperators(): UseQueryResult<OperatorsAnswer> {
  return useAdoption<OperatorsAnswer>(OPERATORS_CALL)
}

const CLUSTERS_SHOWN = 12

/** The first clusters, least recently seen first, with their total. */
export function useClustersOf(search: Readonly<Record<string, readonly string[]>>): UseQueryResult<ClusterItems> {
  const order = { sort: 'last_seen', order: 'asc', limit: String(CLUSTERS_SHOWN) }
  const path = callAt('/api/fleet/v1/clusters', useMoment(), { ...search, ...order })
  return useApiAnswer<ClusterItems>('clusters', path, { placeholderData: keepPreviousData })
}
