import { FleetError } from '../../base/errors.ts'
import type { InstantQuery, QueryOptions, RangeQuery } from '../../promql/query-engine.ts'
import type { AnswerBytes } from '../server/answer-bytes.ts'
import {
  durationParam,
  invalidParam,
  limitParam,
  lookbackParam,
  optionalTime,
  requiredTime,
  type Params,
} from './params.ts'
import type { QueryAnswers } from './query-answers.ts'
import type { AnswerRequest } from './query-stats.ts'

/** A request of `/api/v1/query` or `query_range`, and the options of its response. */
export interface QueryRequest extends Pick<AnswerRequest, 'limit' | 'stats'> {
  readonly query: InstantQuery | RangeQuery
}

/** Reads one route's parameters, in Prometheus' order; the first that is wrong is thrown. */
type ReadQuery = (params: Params, nowMs: number) => QueryRequest

export const QUERY_ROUTES: Readonly<Record<'/api/v1/query' | '/api/v1/query_range', ReadQuery>> = {
  '/api/v1/query': (params, nowMs) => {
    const limit = limitParam(params)
    const timeMs = optionalTime(params, 'time', nowMs)
    const query = { expr: params.get('query'), timeMs, ...queryOptions(params), ...stepCounts(params) }
    return { query, limit, stats: params.get('stats') }
  },
  '/api/v1/query_range': (params) => {
    const limit = limitParam(params)
    const query = { ...rangeParams(params), expr: params.get('query'), ...queryOptions(params), ...stepCounts(params) }
    return { query, limit, stats: params.get('stats') }
  },
}

/** The answer to the query. @param waitedMs since the request arrived */
export function answerRequest(
  answers: QueryAnswers,
  { query, ...request }: QueryRequest,
  waitedMs: number,
  signal?: AbortSignal,
): Promise<AnswerBytes> {
  const options = { ...request, waitedMs }
  return 'timeMs' in query ? answers.instant(query, options, signal) : answers.range(query, options, signal)
}

/** The most steps between start and end of a range query: 11,001 points a series. */
const STEPS_MAX = 11_000

/** `start`, `end` and `step` of a range query. */
export function rangeParams(params: Params): {
  readonly startMs: number
  readonly endMs: number
  readonly stepMs: number
} {
  const startMs = requiredTime(params, 'start')
  const endMs = requiredTime(params, 'end')
  if (endMs < startMs) throw invalidParam('end', 'end timestamp must not be before start time')
  const stepMs = durationParam(params, 'step')
  // Steps are whole milliseconds, so one of less than a millisecond is none.
  if (stepMs < 1) {
    throw invalidParam('step', 'zero or negative query resolution step widths are not accepted. Try a positive integer')
  }
  if (Math.floor((endMs - startMs) / stepMs) > STEPS_MAX) {
    throw new FleetError(
      'bad_request',
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    )
  }
  return { startMs, endMs, stepMs: Math.trunc(stepMs) }
}

export function queryOptions(params: Params): QueryOptions {
  const timeoutMs = params.get('timeout') === '' ? undefined : Math.max(0, Math.trunc(durationParam(params, 'timeout')))
  const lookbackMs = lookbackParam(params)
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(lookbackMs === undefined ? {} : { lookbackMs }),
  }
}

function stepCounts(params: Params): Pick<QueryOptions, 'countsSteps'> {
  return params.get('stats') === 'all' ? { countsSteps: true } : {}
}
