import type { Span, TraceQuery, TraceReader } from '../../src/model/span.ts'

/** The spans of a trace; empty when there is none. */
export async function spansOf(reader: Pick<TraceReader, 'trace'>, traceId: string): Promise<readonly Span[]> {
  return (await reader.trace(traceId))?.spans ?? []
}

/** The spans of each trace that a search finds. */
export async function searched(
  reader: Pick<TraceReader, 'search'>,
  query: TraceQuery,
): Promise<readonly (readonly Span[])[]> {
  const found: (readonly Span[])[] = []
  for await (const { spans } of reader.search(query)) found.push(spans)
  return found
}
