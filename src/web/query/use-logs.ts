import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { ClusterItems } from '../../contract/fleet-clusters.ts'
import type { LogItems } from '../../contract/fleet-logs.ts'
import type { ObjectChangeItem, ObjectChangeItems } from '../../contract/fleet-changes.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import type { TimeRange } from '../lib/dashboards/time-range.ts'
import type { LogView } from '../lib/log-view.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'
import { callAt, useMoment } from './use-moment.ts'
import { usePollMs } from './live.ts'

const PAGE_ROWS = 500
const NAMES_MAX = 50

interface Paged {
  readonly hasMore: boolean
}

/** The changes of a cluster's objects, newest first, page by page. */
export function useObjectLog(view: LogView): UseInfiniteQueryResult<InfiniteData<ObjectChangeItems>> {
  return useLog<ObjectChangeItems>(view, view.cluster !== '', ({ changes }) => changes.at(-1)?.at)
}

/** Log records, newest first, page by page. */
export function useRecordLog(view: LogView): UseInfiniteQueryResult<InfiniteData<LogItems>> {
  return useLog<LogItems>(view, true, ({ logs }) => logs.at(-1)?.time)
}

/** Without the times. */
export function logPath({ source, cluster, service, severity, text }: LogView): string {
  return source === 'objects'
    ? withSearch(
        `/api/fleet/v1/clusters/${encodeURIComponent(cluster)}/changes`,
        searchOf({ limit: String(PAGE_ROWS) }),
      )
    : withSearch(
        '/api/fleet/v1/logs',
        searchOf({ cluster, service, severity, contains: text, limit: String(PAGE_ROWS) }),
      )
}

function useLog<T extends Paged>(
  view: LogView,
  enabled: boolean,
  oldestOf: (page: T) => string | undefined,
): UseInfiniteQueryResult<InfiniteData<T>> {
  const moment = useMoment()
  const { range, refreshSeconds } = view
  const path = logPath(view)
  const isLive = moment === undefined && range.kind === 'last'
  const pollMs = usePollMs('log', refreshSeconds * 1000)
  return useInfiniteQuery({
    queryKey: ['log', path, range, moment],
    queryFn: ({ signal, pageParam }) => {
      const { from, to } = endsOf(range, moment)
      return fetchJson<T>(`${path}&${searchOf({ from, to: pageParam === '' ? to : pageParam })}`, signal)
    },
    initialPageParam: '',
    // The next page begins in the millisecond where this one ended, and callers drop duplicates. A whole page of one
    // millisecond would repeat for ever: the list ends there.
    getNextPageParam: (last, _pages, before) => {
      const oldest = last.hasMore ? oldestOf(last) : undefined
      const to = oldest === undefined ? undefined : new Date(oldest).toISOString()
      return to === before ? undefined : to
    },
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: isLive && refreshSeconds > 0 ? pollMs : false,
    refetchOnWindowFocus: false,
  })
}

function endsOf(range: TimeRange, moment: string | undefined): { readonly from: string; readonly to: string } {
  if (range.kind === 'between') {
    return { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() }
  }
  const toMs = moment === undefined ? serverNowMs() : Date.parse(moment)
  return { from: new Date(toMs - range.seconds * 1000).toISOString(), to: moment ?? '' }
}

/** One change with the object's state after it; `null` when the state has expired. */
export function useObjectState(
  cluster: string,
  change: ObjectChangeItem,
): { readonly query: UseQueryResult<ObjectChangeItem | null>; readonly path: string } {
  const { at, uid } = change
  const search = searchOf({ uid, from: at, to: at, states: 'true' })
  const path = withSearch(`/api/fleet/v1/clusters/${encodeURIComponent(cluster)}/changes`, search)
  const query = useQuery({
    queryKey: ['object-state', path, change.resourceVersion, change.change],
    queryFn: async ({ signal }) => {
      const { changes } = await fetchJson<ObjectChangeItems>(path, signal)
      const isIt = (one: ObjectChangeItem): boolean =>
        one.resourceVersion === change.resourceVersion && one.change === change.change
      return changes.find(isIt) ?? null
    },
    staleTime: Infinity,
  })
  return { query, path }
}

interface ClusterNames {
  /** The first of them. */
  readonly names: readonly string[]
  readonly total: number
}

/** Names of clusters that contain a text, for completion. */
export function useClusterNames(text: string): UseQueryResult<ClusterNames> {
  const moment = useMoment()
  const path = callAt('/api/fleet/v1/clusters', moment, { text, limit: String(NAMES_MAX) })
  return useQuery({
    queryKey: ['cluster-names', path],
    queryFn: async ({ signal }) => {
      const { clusters, total } = await fetchJson<ClusterItems>(path, signal)
      return { names: clusters.map(({ cluster }) => cluster), total }
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
}
