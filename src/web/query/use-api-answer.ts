import { setServerTime } from '../ui/server-clock.ts'
import { useMoment } from './use-moment.ts'
import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { fetchJson, type ApiFailure } from './fetch-json.ts'
import { usePollMs } from './live.ts'

interface AnswerOptions<T> {
  /** Absent: the answer is not polled. */
  readonly pollMs?: number | undefined
  readonly timeoutMs?: number
  /** False: no request. */
  readonly enabled?: boolean
  /** The answer for another path stays until this one is there. */
  readonly placeholderData?: typeof keepPreviousData
  readonly staleTime?: number
  readonly refetchOnWindowFocus?: false
  /** The server's time of an answer about the present, in milliseconds. Ages are counted from it. */
  readonly asOfMs?: (answer: T) => number
}

/** The answer of the API to a GET of `path`. @param key names the kind of answer in the cache and in `LIVE_TOPICS` */
export function useApiAnswer<T>(
  key: string,
  path: string,
  { pollMs, timeoutMs, asOfMs, ...options }: AnswerOptions<T> = {},
): UseQueryResult<T, ApiFailure> {
  const poll = usePollMs(key, pollMs ?? 0)
  const isPast = useMoment() !== undefined
  return useQuery<T, ApiFailure, T>({
    queryKey: [key, path],
    queryFn: async ({ signal }) => {
      const answer = await fetchJson<T>(path, signal, timeoutMs)
      if (asOfMs !== undefined && !isPast) setServerTime(asOfMs(answer))
      return answer
    },
    refetchInterval: pollMs === undefined ? false : poll,
    ...options,
  })
}

/** A paged list; `path` has a query string. Not polled: rows do not move while they are read. */
export function useApiPages<T extends { readonly nextCursor: string | null }>(
  key: string,
  path: string,
  staleTime = 0,
): UseInfiniteQueryResult<InfiniteData<T>> {
  return useInfiniteQuery({
    queryKey: [key, path],
    queryFn: ({ signal, pageParam }) =>
      fetchJson<T>(pageParam === '' ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime,
  })
}
