import {
  keepPreviousData,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { AcceptanceItems, AcceptanceRequest, HazardItems, ReadinessItems } from '../../contract/readiness.ts'
import { questionOfReadiness, type ReadinessView } from '../lib/readiness-view.ts'
import { sendJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'
import { useApiAnswer, useApiPages } from './use-api-answer.ts'
import { callAt, useMoment } from './use-moment.ts'

const READINESS = '/api/fleet/v1/readiness'
export const ACCEPTANCES_PATH = `${READINESS}/acceptances`
const POLL_MS = 60_000
/** The other columns are below the first one on a phone. */
const PAGE_CLUSTERS = '25'

/** The API call of the counts. */
export function readinessCall(view: ReadinessView, moment: string | undefined): string {
  return callAt(READINESS, moment, { ...questionOfReadiness(view), facets: 'true', limit: '1' })
}

/** Counts by verdict and hazard. */
export function useReadinessCounts(view: ReadinessView): UseQueryResult<ReadinessItems> {
  return useApiAnswer<ReadinessItems>('readiness-counts', readinessCall(view, useMoment()), {
    placeholderData: keepPreviousData,
    pollMs: POLL_MS,
  })
}

/** Clusters of one verdict or with one hazard, page by page. Not polled: rows do not move while they are read. */
export function useReadyClusters(
  view: ReadinessView,
  of: { readonly verdict?: string; readonly hazard?: string },
): UseInfiniteQueryResult<InfiniteData<ReadinessItems>> {
  const { verdict = '', hazard = '' } = of
  const path = callAt(READINESS, useMoment(), { ...questionOfReadiness(view), verdict, hazard, limit: PAGE_CLUSTERS })
  return useApiPages<ReadinessItems>('readiness', path)
}

/** What history shows about each hazard. */
export function useHazards(): UseQueryResult<HazardItems> {
  return useApiAnswer<HazardItems>('hazards', `${READINESS}/hazards`, { staleTime: POLL_MS })
}

export function useAcceptances(): UseQueryResult<AcceptanceItems> {
  return useApiAnswer<AcceptanceItems>('acceptances', ACCEPTANCES_PATH, { pollMs: POLL_MS })
}

const CHANGED_KEYS = ['readiness', 'readiness-counts', 'acceptances', 'cluster']

/** For all clusters or none. */
export function useAcceptRisk(): ApiAction<AcceptanceRequest, AcceptanceItems> {
  return useApiAction(
    async (request) => (await sendJson('POST', ACCEPTANCES_PATH, request)) as AcceptanceItems,
    CHANGED_KEYS,
  )
}

/** By the id of the acceptance. */
export function useWithdrawRisk(): ApiAction<string> {
  return useApiAction((id) => sendJson('DELETE', `${ACCEPTANCES_PATH}/${encodeURIComponent(id)}`), CHANGED_KEYS)
}
