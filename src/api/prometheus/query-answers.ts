import type { TimeRange } from '../../model/time-range.ts'
import type { InstantQuery, QueryEngine, RangeQuery, Selectors } from '../../promql/query-engine.ts'
import { answerBytes, type AnswerBytes } from '../server/answer-bytes.ts'
import { renderLabels, renderQueryAnswer } from './answer-json.ts'
import { answerOptions, type AnswerRequest } from './query-stats.ts'
import { exemplarJson, listJson, metadataJson, type MetadataLimits } from './series-json.ts'

/**
 * Answers of the Prometheus routes as JSON. It is rendered beside the engine, on the query worker. Rejects as
 * `QueryEngine` does, and with `query_limit` when the answer is too large.
 */
export interface QueryAnswers {
  instant(query: InstantQuery, request: AnswerRequest, signal?: AbortSignal): Promise<AnswerBytes>
  range(query: RangeQuery, request: AnswerRequest, signal?: AbortSignal): Promise<AnswerBytes>
  /** @param limit the most items; `Infinity` for all */
  series(selectors: Selectors, range: TimeRange, limit: number, signal?: AbortSignal): Promise<AnswerBytes>
  labelNames(selectors: Selectors, range: TimeRange, limit: number, signal?: AbortSignal): Promise<AnswerBytes>
  labelValues(
    name: string,
    selectors: Selectors,
    range: TimeRange,
    limit: number,
    signal?: AbortSignal,
  ): Promise<AnswerBytes>
  exemplars(selectors: Selectors, range: TimeRange, signal?: AbortSignal): Promise<AnswerBytes>
  metadata(name: string | undefined, limits: MetadataLimits, signal?: AbortSignal): Promise<AnswerBytes>
}

/** @param bytesMax of one answer */
export function answersOver(engine: QueryEngine, bytesMax: number): QueryAnswers {
  const render = (pieces: Iterable<string>, signal?: AbortSignal): Promise<AnswerBytes> =>
    answerBytes(pieces, bytesMax, signal)
  const run = async <Q>(
    evaluate: (query: Q, signal?: AbortSignal) => ReturnType<QueryEngine['instant']>,
    query: Q,
    request: AnswerRequest,
    signal?: AbortSignal,
  ): Promise<AnswerBytes> => {
    const startedMs = performance.now()
    const result = await evaluate(query, signal)
    return render(renderQueryAnswer(result, answerOptions(request, result, performance.now() - startedMs)), signal)
  }
  const name = (text: string): string => JSON.stringify(text)
  return {
    instant: (query, request, signal) => run(engine.instant.bind(engine), query, request, signal),
    range: (query, request, signal) => run(engine.range.bind(engine), query, request, signal),
    series: async (selectors, range, limit, signal) =>
      render(listJson(await engine.series(selectors, range, signal), limit, renderLabels), signal),
    labelNames: async (selectors, range, limit, signal) =>
      render(listJson(await engine.labelNames(selectors, range, signal), limit, name), signal),
    labelValues: async (label, selectors, range, limit, signal) =>
      render(listJson(await engine.labelValues(label, selectors, range, signal), limit, name), signal),
    exemplars: async (selectors, range, signal) =>
      render(exemplarJson(await engine.exemplars(selectors, range, signal)), signal),
    metadata: async (family, limits, signal) => render(metadataJson(await engine.metadata(family), limits), signal),
  }
}
