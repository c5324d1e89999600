import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { Explained } from '../../contract/explain.ts'
import type { QueryAnswer } from '../../contract/prometheus.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { spanOf, type Span, type TimeRange } from '../lib/dashboards/time-range.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchData, fetchJson } from './fetch-json.ts'
import { useMoment } from './use-moment.ts'
import { useApiAnswer } from './use-api-answer.ts'

/** The results of the PromQL page, each with its request. A request can be cancelled. */

export interface QueryRequest {
  readonly expr: string
  readonly range: TimeRange
  /** 0: by the length of the range. */
  readonly stepSeconds: number
  /** 0: none. */
  readonly refreshSeconds: number
}

interface Asked {
  /** The call. */
  readonly path: string
  /** Until the answer was read. */
  readonly tookMs: number
}

export interface GraphAnswer extends Asked {
  readonly answer: QueryAnswer
  readonly span: Span
}

export interface TableAnswer extends Asked {
  readonly answer: QueryAnswer
}

export interface ExplainAnswer extends Asked {
  readonly explained: Explained
}

/** The limit of series; the server reports when there are more. */
const SERIES_MAX = { graph: 500, table: 10_000, instant: 500 } as const
/** The reader can cancel a request. */
const TIMEOUT_MS = 130_000
const KEY = 'promql'

export function useGraphAnswer(asked: QueryRequest, isWanted: boolean): UseQueryResult<GraphAnswer> {
  return useAnswer('graph', asked, isWanted, async (signal) => {
    const { path, span } = graphCall(asked)
    return { ...(await timed(path, signal)), span }
  })
}

/** At the end of the range. */
export function useTableAnswer(asked: QueryRequest, isWanted: boolean): UseQueryResult<TableAnswer> {
  return useAnswer('table', asked, isWanted, (signal) => timed(tableCall(asked), signal))
}

/** How the server evaluates the graph; evaluates it again. */
export function useExplainAnswer(asked: QueryRequest, isWanted: boolean): UseQueryResult<ExplainAnswer> {
  return useAnswer('explain', { ...asked, refreshSeconds: 0 }, isWanted, async (signal) => {
    const path = explainPath(graphCall(asked).path)
    const startedMs = performance.now()
    const explained = await fetchData<Explained>(path, signal, TIMEOUT_MS)
    return { explained, path, tookMs: performance.now() - startedMs }
  })
}

/** Cancels the requests of an expression, also on the server. */
export function useStopQuery(): (expr: string) => void {
  const client = useQueryClient()
  return (expr) => {
    void client.cancelQueries({ queryKey: [KEY, expr] })
  }
}

/** Refetches one expression, or all of the page. */
export function useRefetchQuery(): (expr?: string) => void {
  const client = useQueryClient()
  return (expr) => {
    void client.invalidateQueries({ queryKey: expr === undefined ? [KEY] : [KEY, expr] })
  }
}

function useAnswer<T>(
  kind: 'graph' | 'table' | 'explain',
  { expr, range, stepSeconds, refreshSeconds }: QueryRequest,
  isWanted: boolean,
  ask: (signal: AbortSignal) => Promise<T>,
): UseQueryResult<T> {
  const moment = useMoment()
  const isLive = moment === undefined && range.kind === 'last' && refreshSeconds > 0
  return useQuery({
    queryKey: [KEY, expr, kind, range, stepSeconds, moment],
    queryFn: ({ signal }) => ask(signal),
    enabled: isWanted,
    // A cancelled or failed request is not repeated by itself.
    refetchInterval: ({ state }) => (isLive && state.data !== undefined ? refreshSeconds * 1000 : false),
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
    // Comparing thousands of points costs more than drawing them.
    structuralSharing: false,
    staleTime: Infinity,
  })
}

async function timed(path: string, signal: AbortSignal): Promise<TableAnswer> {
  const startedMs = performance.now()
  const answer = await fetchJson<QueryAnswer>(path, signal, TIMEOUT_MS)
  return { answer, path, tookMs: performance.now() - startedMs }
}

function graphCall({ expr, range, stepSeconds }: QueryRequest): { readonly path: string; readonly span: Span } {
  const span = spanOf(range, serverNowMs(), 0, 'step', stepSeconds)
  const search = searchOf({
    query: expr,
    start: String(span.startSeconds),
    end: String(span.endSeconds),
    step: String(span.stepSeconds),
    limit: String(SERIES_MAX.graph),
  })
  return { path: withSearch('/api/v1/query_range', search), span }
}

function tableCall({ expr, range }: QueryRequest): string {
  const timeMs = range.kind === 'between' ? range.toMs : serverNowMs()
  const search = searchOf({ query: expr, time: String(timeMs / 1000), limit: String(SERIES_MAX.table) })
  return withSearch('/api/v1/query', search)
}

/** The formatted expression. Throws `ApiFailure`. */
export async function prettified(expr: string): Promise<string> {
  const path = withSearch('/api/v1/format_query', searchOf({ query: expr }))
  return fetchData<string>(path)
}

/** The explain request of an instant or a range query. */
export function explainPath(queryPath: string): string {
  return queryPath.replace(/^\/api\/v1\/query(?:_range)?\?/, '/api/v1/explain?').replace(/&limit=\d+/, '')
}

/** Evaluates the query, so it is requested only when it is shown. */
export function useExplain(path: string, isWanted: boolean): UseQueryResult<Explained> {
  return useQuery({
    queryKey: ['explain', path],
    queryFn: ({ signal }) => fetchData<Explained>(path, signal),
    enabled: isWanted,
    staleTime: 60_000,
  })
}

const INSTANT_POLL_MS = 15_000

/** The value of an expression now (polled), or at the selected moment. */
export function useInstantQuery(expr: string): UseQueryResult<QueryAnswer> {
  const path = instantCall(expr, useMoment())
  return useApiAnswer<QueryAnswer>('instant', path, { pollMs: INSTANT_POLL_MS, enabled: expr.trim() !== '' })
}

export function instantCall(expr: string, moment: string | undefined): string {
  return withSearch('/api/v1/query', searchOf({ query: expr, limit: String(SERIES_MAX.instant), time: moment ?? '' }))
}
