import type { OtlpResourceSpans } from './otlp-json.ts'
import { traceOfOtlp, type Trace } from './trace.ts'

/** What traces are searched by, as it stands in the address, and as the API is asked. Pure. */
export interface TraceSearch {
  readonly service: string
  readonly operation: string
  readonly cluster: string
  /** `key=value`, separated by spaces. */
  readonly tags: string
  /** As Go writes durations: `1m30s`. */
  readonly min: string
  readonly max: string
  readonly range: TraceRange
  readonly onlyErrors: boolean
  /** Ids of up to two that are to be compared. */
  readonly compare: readonly string[]
}

export const TRACE_RANGES = [
  { value: '1h', text: '1 h', ms: 3_600_000 },
  { value: '6h', text: '6 h', ms: 6 * 3_600_000 },
  { value: '1d', text: '1 d', ms: 86_400_000 },
  { value: '7d', text: '7 d', ms: 7 * 86_400_000 },
  { value: '30d', text: '30 d', ms: 30 * 86_400_000 },
] as const
export type TraceRange = (typeof TRACE_RANGES)[number]['value']

/** Traces in one answer: they come whole, so that each can be told by its critical path. */
export const TRACES_READ = 50

export const COMPARED_TRACES = 2

export function parseTraceSearch(search: string): TraceSearch {
  const params = new URLSearchParams(search)
  const one = (name: string): string => params.get(name) ?? ''
  return {
    service: one('service'),
    operation: one('operation'),
    cluster: one('cluster'),
    tags: one('tags'),
    min: one('min'),
    max: one('max'),
    range: TRACE_RANGES.find(({ value }) => value === one('range'))?.value ?? '1d',
    onlyErrors: one('errors') === 'true',
    compare: [...new Set(one('compare').split(','))].filter((id) => id !== '').slice(0, COMPARED_TRACES),
  }
}

export function searchOfTraceSearch(asked: TraceSearch): Readonly<Record<string, string>> {
  const { onlyErrors, range, compare, ...texts } = asked
  return { ...texts, range: range === '1d' ? '' : range, errors: onlyErrors ? 'true' : '', compare: compare.join(',') }
}

/** The question to `GET /api/v3/traces`. @param toMs the end of the range */
export function questionOfTraceSearch(asked: TraceSearch, toMs: number): Readonly<Record<string, string>> {
  const rangeMs = TRACE_RANGES.find(({ value }) => value === asked.range)?.ms ?? 0
  const attributes = {
    ...Object.fromEntries(tagsOf(asked.tags)),
    ...(asked.cluster !== '' && { 'k8s.cluster.name': asked.cluster }),
    ...(asked.onlyErrors && { error: 'true' }),
  }
  return {
    'query.serviceName': asked.service,
    'query.operationName': asked.operation,
    'query.attributes': Object.keys(attributes).length === 0 ? '' : JSON.stringify(attributes),
    'query.durationMin': asked.min,
    'query.durationMax': asked.max,
    'query.startTimeMin': new Date(toMs - rangeMs).toISOString(),
    'query.startTimeMax': new Date(toMs).toISOString(),
    'query.searchDepth': String(TRACES_READ),
  }
}

function tagsOf(tags: string): readonly (readonly [string, string])[] {
  return tags
    .split(/\s+/)
    .map((tag) => [tag, tag.indexOf('=')] as const)
    .filter(([, at]) => at > 0)
    .map(([tag, at]) => [tag.slice(0, at), tag.slice(at + 1)])
}

/** The traces of one answer, in which their spans stand together by resource; the newest first. */
export function tracesOfOtlp(resourceSpans: readonly OtlpResourceSpans[]): readonly Trace[] {
  const byTrace = new Map<string, OtlpResourceSpans[]>()
  for (const ofResource of resourceSpans) {
    for (const ofScope of ofResource.scopeSpans ?? []) {
      for (const span of ofScope.spans ?? []) {
        const known = byTrace.get(span.traceId) ?? []
        known.push({ ...ofResource, scopeSpans: [{ ...ofScope, spans: [span] }] })
        byTrace.set(span.traceId, known)
      }
    }
  }
  return [...byTrace.values()]
    .flatMap((spans) => traceOfOtlp(spans) ?? [])
    .sort((a, b) => b.startMs - a.startMs || (a.traceId < b.traceId ? -1 : 1))
}
