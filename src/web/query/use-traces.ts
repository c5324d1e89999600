import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { searchOf, withSearch } from '../lib/address.ts'
import { questionOfTraceSearch, tracesOfOtlp, type TraceSearch } from '../lib/trace-search.ts'
import { traceOfOtlp, type Trace } from '../lib/trace.ts'
import { otlpAt, type OtlpTraceAnswer } from '../lib/otlp-json.ts'
import { ApiFailure, fetchJson } from './fetch-json.ts'
import { useMoment } from './use-moment.ts'

/** Traces, by the API of Jaeger. A trace is one answer. */

const TRACES = '/api/v3/traces'
/** Traces grow, but their rows do not move every few seconds. */
const TRACE_STALE_MS = 60_000

export interface WholeTrace {
  readonly trace: Trace
  /** The whole answer, for the export. */
  readonly answer: OtlpTraceAnswer
}

export function traceCall(traceId: string): string {
  return `${TRACES}/${encodeURIComponent(traceId)}`
}

/** At the selected moment. @param traceId empty: no request */
export function useTrace(traceId: string): UseQueryResult<WholeTrace> {
  const moment = useMoment()
  return useQuery({
    queryKey: ['trace', traceId, moment],
    queryFn: ({ signal }) => readTrace(traceId, moment, signal),
    enabled: traceId !== '',
    staleTime: TRACE_STALE_MS,
    refetchOnWindowFocus: false,
  })
}

async function readTrace(traceId: string, moment: string | undefined, signal: AbortSignal): Promise<WholeTrace> {
  const answer = await fetchJson<OtlpTraceAnswer>(traceCall(traceId), signal).catch((thrown: unknown) => {
    throw thrown instanceof ApiFailure && thrown.status === 404 ? unknownTrace() : thrown
  })
  const { resourceSpans } = answer.result
  const trace = traceOfOtlp(moment === undefined ? resourceSpans : otlpAt(resourceSpans, Date.parse(moment)))
  if (trace === undefined) throw unknownTrace()
  return { trace, answer }
}

function unknownTrace(): ApiFailure {
  return new ApiFailure(404, 'No span of a trace with this ID is stored.', {
    hint: 'The spans may have expired, or may not have arrived yet.',
  })
}

/** @param toMs end of the range that is searched */
export function tracesCall(asked: TraceSearch, toMs: number): string {
  return withSearch(TRACES, searchOf(questionOfTraceSearch(asked, toMs)))
}

/** The matching traces; none is not a failure. */
export function useTraces(asked: TraceSearch, toMs: number): UseQueryResult<readonly Trace[]> {
  const path = tracesCall(asked, toMs)
  return useQuery({
    queryKey: ['traces', path],
    queryFn: async ({ signal }) => {
      const answer = await fetchJson<OtlpTraceAnswer>(path, signal).catch((thrown: unknown) => {
        if (thrown instanceof ApiFailure && thrown.status === 404) return undefined
        throw thrown
      })
      return tracesOfOtlp(answer?.result.resourceSpans ?? [])
    },
    staleTime: TRACE_STALE_MS,
    refetchOnWindowFocus: false,
  })
}

export function useTraceServices(): UseQueryResult<readonly string[]> {
  return useQuery({
    queryKey: ['trace-services'],
    queryFn: async ({ signal }) =>
      (await fetchJson<{ readonly services: readonly string[] }>('/api/v3/services', signal)).services,
    staleTime: TRACE_STALE_MS,
  })
}
