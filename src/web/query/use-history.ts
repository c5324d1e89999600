import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query'
import type { AlertRuns } from '../../contract/alert-history.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'
import { useMoment } from './use-moment.ts'

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
