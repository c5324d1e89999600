import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import { parseExpr } from '../promql/parse.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import { prettyExpr } from '../promql/pretty.ts'
import type { QueryEngine, QueryOptions, QueryResult } from '../promql/query-engine.ts'
import { exprTree } from './expr-tree.ts'
import {
  durationParam,
  invalidParam,
  limitParam,
  lookbackParam,
  namingParam,
  optionalTime,
  paramsOf,
  requiredTime,
} from './params.ts'
import type { Params } from './params.ts'
import { sendQueryResult, sendSuccess } from './prometheus-json.ts'

/** `/api/v1/query`, `query_range`, `format_query` and `parse_query`. Parameters are checked in Prometheus' order. */
export interface QueryRoutesOptions {
  readonly query: QueryEngine
  readonly clock: Clock
  /** What PromQL may use where a text is only formatted. */
  readonly language: ParseOptions
}

/** The most steps between start and end of a range query: 11,001 points a series. */
const STEPS_MAX = 11_000

export function registerQueryRoutes(app: FastifyInstance, { query, clock, language }: QueryRoutesOptions): void {
  const config = { access: 'viewer', speaks: 'prometheus' } as const

  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/query',
    config,
    handler: async (request, reply) => {
      const params = paramsOf(request)
      const limit = limitParam(params)
      const timeMs = optionalTime(params, 'time', clock.nowMs())
      const asked = { expr: params.get('query'), timeMs, ...queryOptions(params) }
      return answer(params, limit, reply, clock, () => query.instant(asked, abortedWithConnection(reply)))
    },
  })

  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/query_range',
    config,
    handler: async (request, reply) => {
      const params = paramsOf(request)
      const limit = limitParam(params)
      const asked = { ...rangeParams(params), expr: params.get('query'), ...queryOptions(params) }
      return answer(params, limit, reply, clock, () => query.range(asked, abortedWithConnection(reply)))
    },
  })

  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/format_query',
    config,
    handler: (request, reply) => {
      const text = namingParam('query', () => prettyExpr(parseExpr(paramsOf(request).get('query'), language)))
      return sendSuccess(reply, JSON.stringify(text))
    },
  })

  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/parse_query',
    config,
    handler: (request, reply) => {
      const tree = namingParam('query', () => exprTree(parseExpr(paramsOf(request).get('query'), language)))
      return sendSuccess(reply, JSON.stringify(tree))
    },
  })
}

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

async function answer(
  params: Params,
  limit: number,
  reply: FastifyReply,
  clock: Clock,
  run: () => Promise<QueryResult>,
): Promise<FastifyReply> {
  const askedAtMs = clock.nowMs()
  const result = await namingParam('query', run)
  const asked = params.get('stats')
  const stats = asked === '' ? undefined : renderStats(result, clock.nowMs() - askedAtMs)
  return sendQueryResult(reply, result, {
    limit,
    stats,
    warnings: STATS_VALUES.has(asked) ? [] : [unknownStats(asked)],
  })
}

/** Without per-step counts, which this engine does not keep, `all` is what `true` is, as in a Prometheus without them. */
const STATS_VALUES: ReadonlySet<string> = new Set(['', 'true', 'all'])

function unknownStats(value: string): string {
  return `unknown value ${JSON.stringify(value)} of parameter "stats", want "true" or "all"`
}

/** Aborts when the client goes away before it has its answer, so that nobody computes for nobody. */
export function abortedWithConnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}

/**
 * Timings and sample counts in Prometheus' shape. The engine prepares, evaluates and sorts in one go, so these three
 * are one figure; what the query spent beyond it, it waited for the query worker. All samples of a query are held at
 * once, so the peak is their number.
 */
function renderStats(result: QueryResult, totalMs: number): string {
  const { evalMs, samplesRead } = result.stats
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
    samples: { totalQueryableSamples: samplesRead, peakSamples: samplesRead },
  })
}
