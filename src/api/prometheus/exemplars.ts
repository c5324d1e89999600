import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { ExemplarSeries } from '../../model/exemplar.ts'
import { selectorsOf } from '../../promql/ast.ts'
import { parseExpr } from '../../promql/parse.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import type { QueryEngine } from '../../promql/query-engine.ts'
import { formatValue } from './format-value.ts'
import { TIME_MAX_MS, TIME_MIN_MS, optionalTime, paramsOf } from './params.ts'
import { sendInPieces } from '../server/pieces.ts'
import { renderLabels } from './answer-json.ts'
import { JSON_TYPE, sendSuccess } from './prometheus-json.ts'

/** `/api/v1/query_exemplars`: the exemplars of all series that any selector of an expression matches. */
export function registerExemplars(app: FastifyInstance, query: QueryEngine, language: ParseOptions): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/query_exemplars',
    config: { access: 'viewer', dialect: 'prometheus' },
    handler: async (request, reply) => {
      const params = paramsOf(request)
      const range = {
        fromMs: optionalTime(params, 'start', TIME_MIN_MS),
        toMs: optionalTime(params, 'end', TIME_MAX_MS),
      }
      if (range.toMs < range.fromMs) {
        throw new FleetError('bad_request', 'end timestamp must not be before start timestamp')
      }
      const selectors = selectorsOf(parseExpr(params.get('query'), language)).map(({ matchers }) => matchers)
      // The engine would take an empty list of selectors for all series.
      if (selectors.length === 0) return sendSuccess(reply, '[]')
      const found = await query.exemplars(selectors, range)
      const count = found.reduce((sum, { exemplars }) => sum + exemplars.length, 0)
      return sendInPieces(reply, JSON_TYPE, count, () => exemplarJson(found))
    },
  })
}

function* exemplarJson(found: readonly ExemplarSeries[]): Generator<string> {
  yield '{"status":"success","data":['
  for (let i = 0; i < found.length; i++) {
    const { labels, exemplars } = found[i]!
    const rendered = exemplars.map(
      ({ labels, value, timeMs }) =>
        `{"labels":${renderLabels(labels)},"value":"${formatValue(value)}","timestamp":${timeMs / 1000}}`,
    )
    yield `${i === 0 ? '' : ','}{"seriesLabels":${renderLabels(labels)},"exemplars":[${rendered.join(',')}]}`
  }
  yield ']}'
}
