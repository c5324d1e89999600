import { groupBy } from './group-by.ts'
import { choiceField, flagField, idsField, textField, viewCodec, type ViewOf } from './view-codec.ts'
import type { OtlpResourceSpans } from './otlp-json.ts'
import { traceOfOtlp, type Trace } from './trace.ts'

export const TRACE_RANGES = [
  { value: '1h', text: '1 h', ms: 3_600_000 },
  { value: '6h', text: '6 h', ms: 6 * 3_600_000 },
  { value: '1d', text: '1 d', ms: 86_400_000 },
  { value: '7d', text: '7 d', ms: 7 * 86_400_000 },
  { value: '30d', text: '30 d', ms: 30 * 86_400_000 },
] as const
/** Traces in one answer: each comes with all of its spans, for its critical path. */
export const TRACES_READ = 50

export const COMPARED_TRACES = 2

/** The conditions of a trace search, in its address. Pure. */
export const TRACE_SEARCH = viewCodec({
  service: textField('service'),
  operation: textField('operation'),
  cluster: textField('cluster'),
  /** `key=value`, separated by spaces. */
  tags: textField('tags'),
  /** A duration of Go: `1m30s`. */
  min: textField('min'),
  max: textField('max'),
  range: choiceField(
    'range',
    TRACE_RANGES.map(({ value }) => value),
    '1d',
  ),
  onlyErrors: flagField('errors'),
  /** Ids of traces to compare. */
  compare: idsField('compare', COMPARED_TRACES),
})
export type TraceSearch = ViewOf<typeof TRACE_SEARCH>

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

/** The traces of an answer that groups spans by resource; the newest first. */
export function tracesOfOtlp(resourceSpans: readonly OtlpResourceSpans[]): readonly Trace[] {
  const single = resourceSpans.flatMap((ofResource) =>
    (ofResource.scopeSpans ?? []).flatMap((ofScope) =>
      (ofScope.spans ?? []).map((span) => ({ ...ofResource, scopeSpans: [{ ...ofScope, spans: [span] }] })),
    ),
  )
  return [...groupBy(single, ({ scopeSpans: [ofScope] }) => ofScope!.spans[0]!.traceId).values()]
    .flatMap((spans) => traceOfOtlp(spans) ?? [])
    .sort((a, b) => b.startMs - a.startMs || (a.traceId < b.traceId ? -1 : 1))
}
