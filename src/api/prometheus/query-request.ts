import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { InstantQuery, QueryEngine, QueryOptions, QueryResult, RangeQuery } from '../../promql/query-engine.ts'
import type { QueryAnswerOptions } from './answer-json.ts'
import {
  durationParam,
  invalidParam,
  limitParam,
  lookbackParam,
  optionalTime,
  requiredTime,
  type Params,
} from './params.ts'
import type { QueryAnswer, QueryAnswers } from './query-answers.ts'

/** A request of `/api/v1/query` or `query_range`, and the options of its response. */
export interface QueryRequest {
  readonly query: InstantQuery | RangeQuery
  /** The most series; `Infinity` for all. */
  readonly limit: number
  /** As requested. */
  readonly stats: string
  readonly requestedAtMs: number
}

/** Reads one route's parameters, in Prometheus' order; the first that is wrong is thrown. */
type ReadQuery = (params: Params, nowMs: number) => QueryRequest

export const QUERY_ROUTES: Readonly<Record<'/api/v1/query' | '/api/v1/query_range', ReadQuery>> = {
  '/api/v1/query': (params, nowMs) => {
    const limit = limitParam(params)
    const timeMs = optionalTime(params, 'time', nowMs)
    const query = { expr: params.get('query'), timeMs, ...queryOptions(params), ...stepCounts(params) }
    return { query, limit, stats: params.get('stats'), requestedAtMs: nowMs }
  },
  '/api/v1/query_range': (params, nowMs) => {
    const limit = limitParam(params)
    const query = { ...rangeParams(params), expr: params.get('query'), ...queryOptions(params), ...stepCounts(params) }
    return { query, limit, stats: params.get('stats'), requestedAtMs: nowMs }
  },
}

/** Evaluates the query. */
export function evaluateRequest(
  engine: QueryEngine,
  { query }: QueryRequest,
  signal: AbortSignal,
): Promise<QueryResult> {
  return 'timeMs' in query ? engine.instant(query, signal) : engine.range(query, signal)
}

/** The same, for the text of the answer. */
export function answerRequest(
  answers: QueryAnswers,
  { query, limit }: QueryRequest,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  return 'timeMs' in query ? answers.instant(query, limit, signal) : answers.range(query, limit, signal)
}

/** @param clock read when the answer is ready, for its duration */
export function answerOptions(request: QueryRequest, result: QueryResult, clock: Clock): QueryAnswerOptions {
  const { stats: requested, limit, requestedAtMs } = request
  const stats = requested === '' ? undefined : renderStats(result, clock.nowMs() - requestedAtMs)
  return { limit, stats, warnings: STATS_VALUES.has(requested) ? [] : [unknownStats(requested)] }
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

/** `all`: with the samples of each step. */
const STATS_VALUES: ReadonlySet<string> = new Set(['', 'true', 'all'])

function stepCounts(params: Params): Pick<QueryOptions, 'countsSteps'> {
  return params.get('stats') === 'all' ? { countsSteps: true } : {}
}

function unknownStats(value: string): string {
  return `unknown value ${JSON.stringify(value)} of parameter "stats", want "true" or "all"`
}

/**
 * Timings and sample counts in Prometheus' shape. The engine prepares, evaluates and sorts in one go, so these three
 * are one figure; what the query spent beyond it, it waited for the query worker. All samples of a query are held at
 * once, so the peak is their number.
 */
function renderStats(result: QueryResult, totalMs: number): string {
  const { evalMs, samplesRead, samplesByStep } = result.stats
  const evalSeconds = evalMs / 1000
  const totalSeconds = Math.max(evalMs, totalMs) / 1000
  return JSON.stringify({
    timings: {
      evalTotalTime: evalSeconds,
      resultSortTime: 0,
      queryPreparationTime: 0,
      innerEvalTime: evalSeconds,
      execQueueTime: totalSeconds - evalSeconds,
      execTotalTime: totalSeconds,
    },
    samples: {
      ...(samplesByStep === undefined
        ? { totalQueryableSamples: samplesRead }
        : {
            totalQueryableSamplesPerStep: samplesByStep.map(({ timeMs, samples }) => [timeMs / 1000, samples]),
            totalQueryableSamples: samplesByStep.reduce((sum, { samples }) => sum + samples, 0),
          }),
      peakSamples: samplesRead,
    },
  })
}
