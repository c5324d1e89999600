import { useInfiniteQuery } from '@tanstack/react-query'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { AlertRuns } from '../../contract/alert-history.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'

/** Runs of one page of answers: a search by text looks through these before it asks for more. */
const PAGE_RUNS = 500

export interface HistoryAsked {
  readonly alertname: string
  readonly cluster: string
  readonly fingerprint: string
  readonly windowMs: number
}

/** Runs of alerts that fired in the last `windowMs`, newest first, a page at a time. */
export function useHistory(asked: HistoryAsked): UseInfiniteQueryResult<InfiniteData<AlertRuns>> {
  return useInfiniteQuery({
    queryKey: ['history', asked],
    queryFn: ({ signal, pageParam }) => {
      const { windowMs, ...names } = asked
      const nowMs = serverNowMs()
      const search = new URLSearchParams({
        fromMs: String(Math.floor(nowMs - windowMs)),
        toMs: String(Math.ceil(nowMs)),
        limit: String(PAGE_RUNS),
      })
      for (const [name, value] of Object.entries(names)) if (value !== '') search.set(name, value)
      if (pageParam !== '') search.set('cursor', pageParam)
      return fetchJson<AlertRuns>(`/api/fleet/v1/alerts/history?${search.toString()}`, signal)
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor,
    staleTime: 30_000,
  })
}
