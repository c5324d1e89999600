import type { InstantQuery, QueryEngine, QueryResult, RangeQuery } from '../../promql/query-engine.ts'
import { pointsOf, renderQueryAnswer } from './answer-json.ts'

/**
 * Query results as JSON text. Where the engine is another thread, a text crosses as one copy of its bytes, values as an
 * object per series. Rejects as `QueryEngine` does.
 */
export interface QueryAnswers {
  /** @param limit the most series; `Infinity` for all */
  instant(query: InstantQuery, limit: number, signal?: AbortSignal): Promise<QueryAnswer>
  range(query: RangeQuery, limit: number, signal?: AbortSignal): Promise<QueryAnswer>
}

/** The JSON of the whole answer; the result itself when that is long, so that it can leave in pieces. */
export type QueryAnswer = string | QueryResult

/** Up to this many values an answer is one text: some 300 kB. */
const TEXT_VALUES_MAX = 10_000

export function answerOf(result: QueryResult, limit: number): QueryAnswer {
  if (pointsOf(result.value) > TEXT_VALUES_MAX) return result
  let text = ''
  for (const piece of renderQueryAnswer(result, { limit, stats: undefined, warnings: [] })) text += piece
  return text
}

/** For an engine on this thread. */
export function answersOver(engine: Pick<QueryEngine, 'instant' | 'range'>): QueryAnswers {
  return {
    instant: async (query, limit, signal) => answerOf(await engine.instant(query, signal), limit),
    range: async (query, limit, signal) => answerOf(await engine.range(query, signal), limit),
  }
}
