import type { FastifyInstance } from 'fastify'
import type { MetricFamily } from '../../model/metadata.ts'
import type { QueryEngine } from '../../promql/query-engine.ts'
import { optionalCount, paramsOf } from './params.ts'
import { sendInPieces } from '../server/pieces.ts'
import { JSON_TYPE } from './prometheus-json.ts'

/** `/api/v1/metadata`: what senders say their metrics are, by metric family. */
export function registerMetadata(app: FastifyInstance, query: QueryEngine): void {
  app.get('/api/v1/metadata', { config: { access: 'viewer', dialect: 'prometheus' } }, async (request, reply) => {
    const params = paramsOf(request)
    const limit = optionalCount(params, 'limit')
    const limitPerMetric = optionalCount(params, 'limit_per_metric')
    const metric = params.get('metric')
    const families = await query.metadata(metric === '' ? undefined : metric)
    // A limit of 0 is one, as in Prometheus; of 0 per metric it is none.
    const shown = limit !== undefined && limit >= 0 ? families.slice(0, limit) : families
    const perMetric = limitPerMetric !== undefined && limitPerMetric > 0 ? limitPerMetric : Infinity
    return sendInPieces(reply, JSON_TYPE, shown.length, () => metadataJson(shown, perMetric))
  })
}

function* metadataJson(families: readonly MetricFamily[], perMetric: number): Generator<string> {
  yield '{"status":"success","data":{'
  for (let i = 0; i < families.length; i++) {
    const { name, metadata } = families[i]!
    const shown = metadata.slice(0, perMetric).map(({ type, help, unit }) => ({ type, help, unit }))
    yield `${i === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(shown)}`
  }
  yield '}}'
}
