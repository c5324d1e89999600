import {
  useInfiniteQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { DeliveryItem, DeliveryItems, ReceiverItems, RouteItem, RouteTest } from '../../contract/deliveries.ts'
import { postJson, fetchJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { usePollMs } from './live.ts'

const DELIVERY_POLL_MS = 15_000
const PAGE_DELIVERIES = 50

export function useReceivers(): UseQueryResult<ReceiverItems> {
  return useApiAnswer<ReceiverItems>('receivers', '/api/fleet/v1/receivers', { pollMs: DELIVERY_POLL_MS })
}

export interface DeliveriesAsked {
  readonly receiver: string
  readonly outcome: string
  readonly fingerprint: string
}

/** The API path of the filtered delivery log; empty values are omitted. */
export function deliveriesPath(asked: DeliveriesAsked, cursor = ''): string {
  const search = new URLSearchParams({ limit: String(PAGE_DELIVERIES) })
  for (const [name, value] of Object.entries({ ...asked, cursor })) if (value !== '') search.set(name, value)
  return `/api/fleet/v1/deliveries?${search.toString()}`
}

export function useDeliveries(asked: DeliveriesAsked): UseInfiniteQueryResult<InfiniteData<DeliveryItems>> {
  return useInfiniteQuery({
    queryKey: ['deliveries', asked],
    queryFn: ({ signal, pageParam }) => fetchJson<DeliveryItems>(deliveriesPath(asked, pageParam), signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor,
    refetchInterval: usePollMs('deliveries', DELIVERY_POLL_MS),
  })
}

/** One attempt with its request and response. */
export function useDelivery(id: number): UseQueryResult<DeliveryItem> {
  return useApiAnswer<DeliveryItem>('delivery', `/api/fleet/v1/deliveries/${id}`, { staleTime: 60_000 })
}

export function useRouting(): UseQueryResult<RouteItem> {
  return useApiAnswer<RouteItem>('routes', '/api/fleet/v1/routes', { staleTime: DELIVERY_POLL_MS })
}

export const ROUTE_TEST_PATH = '/api/fleet/v1/routes/test'

export function useRouteTest(): ApiAction<Readonly<Record<string, string>>, RouteTest> {
  return useApiAction((labels) => postJson<RouteTest>(ROUTE_TEST_PATH, { labels }))
}
