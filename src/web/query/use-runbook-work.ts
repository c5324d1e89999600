import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { OutcomeList, OutcomesAnswer, ReviewAnswer, WorkAnswer, WorkRequest } from '../../contract/runbook-work.ts'
import { usePreferences } from '../ui/preferences.ts'
import { sendJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'
import { useApiAnswer } from './use-api-answer.ts'

/** Work on alerts: what people record, what came of it, and reviews. */

const BASE = '/api/runbooks/v1'
const WORK_POLL_MS = 15_000
const OUTCOMES_STALE_MS = 60_000

/** An occurrence of an alert. */
export interface Occurrence {
  readonly fingerprint: string
  readonly activeAtMs: number
}

export function workCall({ fingerprint, activeAtMs }: Occurrence): string {
  return `${BASE}/work/${encodeURIComponent(fingerprint)}/${activeAtMs}`
}

export function alertReviewCall({ fingerprint, activeAtMs }: Occurrence): string {
  return `${BASE}/reviews/alerts/${encodeURIComponent(fingerprint)}/${activeAtMs}`
}

export function upgradeReviewCall(id: string): string {
  return `${BASE}/reviews/upgrades/${encodeURIComponent(id)}`
}

export function outcomesCall(name: string, days: number): string {
  return `${BASE}/outcomes/${encodeURIComponent(name)}?days=${days}`
}

export function outcomeListCall(days: number): string {
  return `${BASE}/outcomes?days=${days}`
}

/** @param run absent: no request */
export function useRunbookWork(run: Occurrence | undefined): UseQueryResult<WorkAnswer> {
  return useApiAnswer<WorkAnswer>('runbook-work', run === undefined ? '' : workCall(run), {
    enabled: run !== undefined,
    pollMs: WORK_POLL_MS,
  })
}

/** Records one entry; the answer takes the place of the one that is shown. */
export function useRecordWork(run: Occurrence): ApiAction<WorkRequest> {
  const client = useQueryClient()
  const { name } = usePreferences()
  const path = workCall(run)
  return useApiAction(
    async (request) => {
      const seen = client.getQueryData<WorkAnswer>(['runbook-work', path])?.seen
      const by = name.trim()
      const answer = await sendJson('POST', path, {
        ...request,
        ...(seen === undefined ? {} : { seen }),
        ...(by === '' ? {} : { by }),
      })
      client.setQueryData(['runbook-work', path], answer)
    },
    ['runbook-work', 'outcomes', 'review'],
  )
}

export function useOutcomes(name: string, days: number): UseQueryResult<OutcomesAnswer> {
  return useApiAnswer<OutcomesAnswer>('outcomes', outcomesCall(name, days), { staleTime: OUTCOMES_STALE_MS })
}

export function useOutcomeList(days: number): UseQueryResult<OutcomeList> {
  return useApiAnswer<OutcomeList>('outcomes', outcomeListCall(days), { staleTime: OUTCOMES_STALE_MS })
}

export function useReview(run: Occurrence): UseQueryResult<ReviewAnswer> {
  return useApiAnswer<ReviewAnswer>('review', alertReviewCall(run))
}
