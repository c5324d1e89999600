import { useApiAnswer } from './use-api-answer.ts'
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { AcknowledgeRequest } from '../../contract/alert-history.ts'
import type { MatcherItem, SilenceItems, SilencePreview, SilenceRequest } from '../../contract/silences.ts'
import { postJson, sendJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'

/** Actions on alerts: acknowledge, silence, and their undo. Each action refetches all queries that show its result. */

const SILENCES_POLL_MS = 15_000
export const SILENCES_PATH = '/api/fleet/v1/silences'

export const acknowledgePath = (fingerprint: string): string =>
  `/api/fleet/v1/alerts/${encodeURIComponent(fingerprint)}/acknowledge`

const CHANGED_KEYS = ['alerts', 'alert', 'silences', 'history']

export interface Acknowledging extends AcknowledgeRequest {
  readonly fingerprints: readonly string[]
}

/** One request per alert, one after the other: a list of fifty must not be fifty concurrent requests. */
export function useAcknowledge(): ApiAction<Acknowledging> {
  return useApiAction(async ({ fingerprints, ...request }) => {
    for (const fingerprint of fingerprints) await sendJson('POST', acknowledgePath(fingerprint), request)
  }, CHANGED_KEYS)
}

export function useUnacknowledge(): ApiAction<readonly string[]> {
  return useApiAction(async (fingerprints) => {
    for (const fingerprint of fingerprints) await sendJson('DELETE', acknowledgePath(fingerprint))
  }, CHANGED_KEYS)
}

/** With `id`, replaces that silence. */
export function useSaveSilence(): ApiAction<{ readonly id?: string; readonly request: SilenceRequest }> {
  return useApiAction(
    ({ id, request }) =>
      id === undefined ? sendJson('POST', SILENCES_PATH, request) : sendJson('PUT', `${SILENCES_PATH}/${id}`, request),
    CHANGED_KEYS,
  )
}

export function useExpireSilence(): ApiAction<string> {
  return useApiAction((id) => sendJson('DELETE', `${SILENCES_PATH}/${id}`), CHANGED_KEYS)
}

export function useSilences(): UseQueryResult<SilenceItems> {
  const options = { pollMs: SILENCES_POLL_MS, asOfMs: ({ asOfMs }: SilenceItems) => asOfMs }
  return useApiAnswer<SilenceItems>('silences', SILENCES_PATH, options)
}

/** Alerts that the matchers match now and matched in the past. The previous answer stays while loading. */
export function useSilencePreview(matchers: readonly MatcherItem[], isWanted: boolean): UseQueryResult<SilencePreview> {
  return useQuery({
    queryKey: ['silence-preview', matchers],
    queryFn: ({ signal }) => postJson<SilencePreview>(`${SILENCES_PATH}/preview`, { matchers }, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}
