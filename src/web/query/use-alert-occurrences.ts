import {
  useQuery,
  useInfiniteQuery,
  type UseQueryResult,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import type { AlertRuns } from '../../contract/alert-history.ts'
import { withSearch, searchOf } from '../lib/address.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { usePollMs } from './live.ts'
import { useMoment } from './use-moment.ts'

/** Occurrences per request. */
const RUNS_MAX = 200
const POLL_MS = 30_000

/** Occurrences on a cluster in a window; a window that ends in the past is not polled. */
export function useAlertOccurrences(
  cluster: string,
  fromMs: number,
  toMs: number | undefined,
): UseQueryResult<AlertRuns> {
  const search = new URLSearchParams({ cluster, fromMs: String(Math.floor(fromMs)), limit: String(RUNS_MAX) })
  if (toMs !== undefined) search.set('toMs', String(Math.ceil(toMs)))
  const path = withSearch('/api/fleet/v1/alerts/history', search.toString())
  return useApiAnswer<AlertRuns>('alert-runs', path, { pollMs: toMs === undefined ? POLL_MS : undefined })
}

/** Previous occurrences that are searched for notes, newest first. */
export const PREVIOUS_OCCURRENCES_MAX = 200
const PAST_MS = 90 * 24 * 3_600_000

/** Occurrences of an alert in the fleet over 90 days; older ones help little, because rules, versions and people change. */
export function usePreviousOccurrences(alertname: string): UseQueryResult<AlertRuns> {
  const pollMs = usePollMs('alert-runs', POLL_MS)
  return useQuery({
    queryKey: ['alert-runs', 'past', alertname],
    queryFn: ({ signal }) => {
      const fromMs = Math.floor(serverNowMs() - PAST_MS)
      const search = new URLSearchParams({ alertname, fromMs: String(fromMs), limit: String(PREVIOUS_OCCURRENCES_MAX) })
      return fetchJson<AlertRuns>(withSearch('/api/fleet/v1/alerts/history', search.toString()), signal)
    },
    refetchInterval: pollMs,
  })
}

/** Occurrences per page: a text search covers the loaded pages. */
const PAGE_RUNS = 500

export interface HistoryAsked {
  readonly alertname: string
  readonly cluster: string
  readonly fingerprint: string
  readonly windowMs: number
}

/** @param toMs end of the window */
export function historyCall({ windowMs, ...names }: HistoryAsked, toMs: number, cursor = ''): string {
  const times = { fromMs: String(Math.floor(toMs - windowMs)), toMs: String(Math.ceil(toMs)) }
  return withSearch('/api/fleet/v1/alerts/history', searchOf({ ...times, limit: String(PAGE_RUNS), ...names, cursor }))
}

/** Occurrences in the last `windowMs`, newest first, page by page. */
export function useHistory(asked: HistoryAsked): UseInfiniteQueryResult<InfiniteData<AlertRuns>> {
  const moment = useMoment()
  return useInfiniteQuery({
    queryKey: ['history', asked, moment],
    queryFn: ({ signal, pageParam }) => {
      const toMs = moment === undefined ? serverNowMs() : Date.parse(moment)
      return fetchJson<AlertRuns>(historyCall(asked, toMs, pageParam), signal)
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor,
    staleTime: 30_000,
  })
}
