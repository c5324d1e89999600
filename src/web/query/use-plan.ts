import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { PlanAnswer, PlanRequest } from '../../contract/fleet-plans.ts'
import { postJson, type ApiFailure } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'

export const PLANS_PATH = '/api/fleet/v1/plans'

/** Not polled: steps do not move while they are read. Without a target there is no request. */
export function usePlan(request: PlanRequest): UseQueryResult<PlanAnswer, ApiFailure> {
  return useQuery<PlanAnswer, ApiFailure>({
    queryKey: ['plan', request],
    queryFn: ({ signal }) => postJson<PlanAnswer>(PLANS_PATH, request, signal),
    enabled: request.target !== '',
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })
}

/** The plan as a file. */
export function usePlanExport(): ApiAction<PlanRequest, PlanAnswer> {
  return useApiAction((request) => postJson<PlanAnswer>(PLANS_PATH, request))
}
