import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { GateDetail, GateItems } from '../../contract/fleet-gates.ts'
import { fetchJson } from './fetch-json.ts'
import { askedAt } from './moment-param.ts'
import { useMoment } from './use-moment.ts'
import { usePollMs } from './use-poll.ts'

const GATES = '/api/fleet/v1/gates'
const POLL_MS = 60_000
const PAGE = '200'

export function gatesCall(moment: string | undefined): string {
  return askedAt(GATES, moment)
}

/** All feature gates that are set. */
export function useGates(): UseQueryResult<GateItems> {
  const path = gatesCall(useMoment())
  return useQuery({
    queryKey: ['gates', path],
    queryFn: ({ signal }) => fetchJson<GateItems>(path, signal),
    placeholderData: keepPreviousData,
    refetchInterval: usePollMs('gates', POLL_MS),
  })
}

/** `source` and `on` as the API takes them; empty values are left out. */
export interface GateAsked {
  readonly gate: string
  readonly source: string
  readonly on: string
}

export function gateCall({ gate, source, on }: GateAsked, moment: string | undefined, cursor = ''): string {
  return askedAt(`${GATES}/${encodeURIComponent(gate)}`, moment, { source, on, limit: PAGE, cursor })
}

/** Who sets one, page by page. Not polled: rows that are read do not move. */
export function useGate(asked: GateAsked): UseInfiniteQueryResult<InfiniteData<GateDetail>> {
  const moment = useMoment()
  return useInfiniteQuery({
    queryKey: ['gate', gateCall(asked, moment)],
    queryFn: ({ signal, pageParam }) => fetchJson<GateDetail>(gateCall(asked, moment, pageParam), signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
}
