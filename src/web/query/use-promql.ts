import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { QueryAnswer } from '../../contract/prometheus.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { stepFor } from '../lib/chart-columns.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './use-poll.ts'

const POLL_MS = 15_000

/** Series a page asks for at most; the server says when there were more. */
const SERIES_MAX = 500

/** The value of an expression now, again and again; or at the moment the page shows. */
export function useInstantQuery(expr: string): UseQueryResult<QueryAnswer> {
  const moment = useMoment()
  const path = instantCall(expr, moment)
  return useQuery({
    queryKey: ['instant', path],
    queryFn: ({ signal }) => fetchJson<QueryAnswer>(path, signal),
    refetchInterval: usePollMs('instant', POLL_MS),
    enabled: expr.trim() !== '',
  })
}

export function instantCall(expr: string, moment: string | undefined): string {
  return withSearch('/api/v1/query', searchOf({ query: expr, limit: String(SERIES_MAX), time: moment ?? '' }))
}

export interface RangeAnswer {
  readonly answer: QueryAnswer
  readonly startSeconds: number
  readonly endSeconds: number
  readonly stepSeconds: number
}

/** An expression over the last `rangeSeconds`. The answer carries the range that was asked for, to draw it. */
export function useRangeQuery(expr: string, rangeSeconds: number): UseQueryResult<RangeAnswer> {
  return useQuery({
    queryKey: ['range', expr, rangeSeconds],
    queryFn: async ({ signal }) => {
      const stepSeconds = stepFor(rangeSeconds)
      // Whole steps: the points of a refreshed graph stay where they were.
      const endSeconds = Math.floor(serverNowMs() / 1000 / stepSeconds) * stepSeconds
      const startSeconds = endSeconds - Math.floor(rangeSeconds / stepSeconds) * stepSeconds
      const search = new URLSearchParams({
        query: expr,
        start: String(startSeconds),
        end: String(endSeconds),
        step: String(stepSeconds),
        limit: String(SERIES_MAX),
      }).toString()
      const answer = await fetchJson<QueryAnswer>(`/api/v1/query_range?${search}`, signal)
      return { answer, startSeconds, endSeconds, stepSeconds }
    },
    refetchInterval: usePollMs('range', POLL_MS * 2),
    placeholderData: keepPreviousData,
    enabled: expr.trim() !== '',
  })
}
