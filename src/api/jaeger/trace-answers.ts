/**
 * Answers of the Jaeger routes that show traces. They are rendered beside the reader, on the query worker, one trace after
 * the other.
 */
import type { StoredTrace, TraceQuery, TraceReader } from '../../model/span.ts'
import { AnswerWriter, type AnswerBytes } from '../server/answer-bytes.ts'
import { legacyTraceJson } from './legacy-json.ts'
import { resourceSpansJson, traceSummary } from './v3-json.ts'

/** What the Jaeger routes read. */
export interface ApiTraces extends Pick<TraceReader, 'services' | 'operations'> {
  dependencies(
    range: Parameters<TraceReader['dependencies']>[0],
    signal?: AbortSignal,
  ): ReturnType<TraceReader['dependencies']>
  /** `undefined`: no trace was found. Rejects with `query_limit` when the answer is too large. */
  answer(format: TraceFormat, wanted: WantedTraces, signal?: AbortSignal): Promise<AnswerBytes | undefined>
}

export type WantedTraces = { readonly ids: readonly string[] } | { readonly query: TraceQuery }

interface Format {
  readonly head: string
  readonly trace: (trace: StoredTrace) => Iterable<string>
  /** @param missing ids of which there is no trace */
  readonly tail: (missing: readonly string[]) => string
}

const FORMATS = {
  legacy: {
    head: '{"data":[',
    trace: legacyTraceJson,
    tail: (missing) => `],"total":0,"limit":0,"offset":0,"errors":${errorsJson(missing)}}`,
  },
  v3: { head: '{"result":{"resourceSpans":[', trace: resourceSpansJson, tail: () => ']}}' },
  summaries: { head: '{"summaries":[', trace: (trace) => [JSON.stringify(traceSummary(trace))], tail: () => ']}' },
} as const satisfies Record<string, Format>

export type TraceFormat = keyof typeof FORMATS

export const NOT_FOUND = { code: 404, msg: 'trace not found' }

function errorsJson(missing: readonly string[]): string {
  return missing.length === 0 ? 'null' : JSON.stringify(missing.map((traceID) => ({ ...NOT_FOUND, traceID })))
}

/** @param bytesMax of one answer */
export function tracesOver(reader: TraceReader, bytesMax: number): ApiTraces {
  return {
    services: () => reader.services(),
    operations: (service, kind) => reader.operations(service, kind),
    dependencies: (range, signal) => reader.dependencies(range, signal),
    answer: async (format, wanted, signal) => {
      const { head, trace: render, tail }: Format = FORMATS[format]
      const writer = new AnswerWriter(bytesMax)
      const missing: string[] = []
      let found = 0
      for await (const trace of read(reader, wanted, missing, signal)) {
        writer.add(found++ === 0 ? head : ',')
        await writer.addAll(render(trace), signal)
      }
      if (found === 0) return undefined
      writer.add(tail(missing))
      return writer.take()
    },
  }
}

async function* read(
  reader: TraceReader,
  wanted: WantedTraces,
  missing: string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredTrace> {
  if ('query' in wanted) {
    yield* reader.search(wanted.query, signal)
    return
  }
  for (const id of new Set(wanted.ids)) {
    const trace = await reader.trace(id, signal)
    if (trace === undefined) missing.push(id)
    else yield trace
  }
}
