import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { QueryExplainer } from '../../promql/query-engine.ts'
import { namingParam, optionalTime, paramsOf } from './params.ts'
import { sendSuccess } from './prometheus-json.ts'
import { abortedWithConnection } from './query.ts'
import { queryOptions, rangeParams } from './query-request.ts'

/** `/api/v1/explain`: of a range query with any of `start`, `end` and `step`, otherwise of an instant query. */
export function registerExplain(app: FastifyInstance, explain: QueryExplainer['explain'], clock: Clock): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/explain',
    config: { access: 'viewer', dialect: 'prometheus' },
    handler: async (request, reply) => {
      const params = paramsOf(request)
      const isRange = ['start', 'end', 'step'].some((name) => params.get(name) !== '')
      const times = isRange ? rangeParams(params) : { timeMs: optionalTime(params, 'time', clock.nowMs()) }
      const query = { ...times, expr: params.get('query'), ...queryOptions(params) }
      const explained = await namingParam('query', () => explain(query, abortedWithConnection(reply)))
      return sendSuccess(reply, JSON.stringify(explained))
    },
  })
}
