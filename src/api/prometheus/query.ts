import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { parseExpr } from '../../promql/parse.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { prettyExpr } from '../../promql/format.ts'
import type { QueryEngine } from '../../promql/query-engine.ts'
import { exprTree } from './expr-tree.ts'
import { namingParam, paramsOf } from './params.ts'
import { sendPrometheusJson, sendQueryResult, sendSuccess } from './prometheus-json.ts'
import type { QueryAnswers } from './query-answers.ts'
import { QUERY_ROUTES, answerOptions, answerRequest, evaluateRequest } from './query-request.ts'

/** `/api/v1/query`, `query_range`, `format_query` and `parse_query`. */
interface QueryRoutesOptions {
  readonly query: QueryEngine
  readonly answers: QueryAnswers
  readonly clock: Clock
  /** For the routes that only parse. */
  readonly language: ParseOptions
}

export function registerQueryRoutes(
  app: FastifyInstance,
  { query, answers, clock, language }: QueryRoutesOptions,
): void {
  const config = { access: 'viewer', dialect: 'prometheus' } as const

  for (const [url, read] of Object.entries(QUERY_ROUTES)) {
    app.route({
      method: ['GET', 'POST'],
      url,
      config,
      handler: async (request, reply) => {
        const requested = read(paramsOf(request), clock.nowMs())
        const signal = abortedWithConnection(reply)
        if (requested.stats !== '') {
          const result = await namingParam('query', () => evaluateRequest(query, requested, signal))
          return sendQueryResult(reply, result, answerOptions(requested, result, clock))
        }
        const answer = await namingParam('query', () => answerRequest(answers, requested, signal))
        if (typeof answer === 'string') return sendPrometheusJson(reply, answer)
        return sendQueryResult(reply, answer, answerOptions(requested, answer, clock))
      },
    })
  }

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

/** Aborts when the client disconnects before the response is complete, to stop a query whose result nobody reads. */
export function abortedWithConnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
