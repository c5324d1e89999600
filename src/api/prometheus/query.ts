import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { getOrPost, namingParam, optionalTime, paramsOf } from './params.ts'
import { sendJson, sendSuccess } from './prometheus-json.ts'
import type { QueryAnswers } from './query-answers.ts'
import type { QueryExplainer } from '../../promql/query-engine.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import type { QueryParser } from './query-parser.ts'
import { QUERY_ROUTES, answerRequest, queryOptions, rangeParams } from './query-request.ts'

/** `/api/v1/query`, `query_range`, `explain`, `format_query` and `parse_query`. */
interface QueryRoutesOptions {
  readonly ports: PortsOf<{ readonly answers: QueryAnswers; readonly explain: QueryExplainer['explain'] }>
  readonly clock: Clock
  readonly parser: QueryParser
}

export function registerQueryRoutes(app: FastifyInstance, { ports, clock, parser }: QueryRoutesOptions): void {
  for (const [url, read] of Object.entries(QUERY_ROUTES)) {
    getOrPost(app, url, async (request, reply) => {
      const requested = read(paramsOf(request), clock.nowMs())
      const { answers } = ports(request)
      const answer = namingParam('query', () => answerRequest(answers, requested, reply.elapsedTime, request.left))
      return sendJson(reply, await answer)
    })
  }

  getOrPost(app, '/api/v1/format_query', async (request, reply) => {
    const text = await namingParam('query', () => parser.format(paramsOf(request).get('query')))
    return sendSuccess(reply, JSON.stringify(text))
  })

  getOrPost(app, '/api/v1/parse_query', async (request, reply) => {
    return sendSuccess(reply, await namingParam('query', () => parser.tree(paramsOf(request).get('query'))))
  })

  // Of a range query with any of `start`, `end` and `step`, otherwise of an instant query.
  getOrPost(app, '/api/v1/explain', async (request, reply) => {
    const params = paramsOf(request)
    const isRange = ['start', 'end', 'step'].some((name) => params.get(name) !== '')
    const times = isRange ? rangeParams(params) : { timeMs: optionalTime(params, 'time', clock.nowMs()) }
    const query = { ...times, expr: params.get('query'), ...queryOptions(params) }
    const explained = await namingParam('query', () => ports(request).explain(query, request.left))
    return sendSuccess(reply, JSON.stringify(explained))
  })
}
