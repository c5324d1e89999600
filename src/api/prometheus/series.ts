import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { Selectors } from '../../promql/query-engine.ts'
import {
  TIME_MAX_MS,
  TIME_MIN_MS,
  getOrPost,
  limitParam,
  namingParam,
  optionalCount,
  optionalTime,
  paramsOf,
  type Params,
} from './params.ts'
import { sendJson, sendSuccess } from './prometheus-json.ts'
import type { QueryAnswers } from './query-answers.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import type { QueryParser } from './query-parser.ts'

/**
 * What is stored: `/api/v1/series`, `/labels`, `/label/{name}/values`, `/query_exemplars` (of all series that any selector
 * of an expression matches) and `/metadata` (as senders report it, by metric family).
 */
export function registerSeriesRoutes(
  app: FastifyInstance,
  ports: PortsOf<{ readonly answers: QueryAnswers }>,
  parser: QueryParser,
): void {
  const config = { access: 'viewer', dialect: 'prometheus', scope: 'clusters', lane: 'query' } as const

  getOrPost(app, '/api/v1/series', async (request, reply) => {
    const params = paramsOf(request)
    const limit = limitParam(params)
    if (params.all('match[]').length === 0) throw new FleetError('bad_request', 'no match[] parameter provided')
    const range = timeRange(params)
    const selected = await namingParam('match[]', () => selectors(params, parser))
    return sendJson(reply, await ports(request).answers.series(selected, range, limit, request.left))
  })

  getOrPost(app, '/api/v1/labels', async (request, reply) => {
    const params = paramsOf(request)
    const limit = limitParam(params)
    const range = timeRange(params)
    return sendJson(
      reply,
      await ports(request).answers.labelNames(await selectors(params, parser), range, limit, request.left),
    )
  })

  app.get<{ Params: { name: string } }>('/api/v1/label/:name/values', { config }, async (request, reply) => {
    const name = decodeLabelName(request.params.name)
    const params = paramsOf(request)
    const limit = limitParam(params)
    const range = timeRange(params)
    const selected = await selectors(params, parser)
    return sendJson(reply, await ports(request).answers.labelValues(name, selected, range, limit, request.left))
  })

  getOrPost(app, '/api/v1/query_exemplars', async (request, reply) => {
    const params = paramsOf(request)
    const range = timeRange(params)
    if (range.toMs < range.fromMs) {
      throw new FleetError('bad_request', 'end timestamp must not be before start timestamp')
    }
    const selectors = await parser.selectorsOf(params.get('query'))
    // The engine would take an empty list of selectors for all series.
    if (selectors.length === 0) return sendSuccess(reply, '[]')
    return sendJson(reply, await ports(request).answers.exemplars(selectors, range, request.left))
  })

  app.get('/api/v1/metadata', { config }, async (request, reply) => {
    const params = paramsOf(request)
    const limit = optionalCount(params, 'limit')
    const limitPerMetric = optionalCount(params, 'limit_per_metric')
    const metric = params.get('metric')
    // As in Prometheus: a limit of 0 counts, 0 per metric means no limit.
    const limits = {
      limit: limit !== undefined && limit >= 0 ? limit : Infinity,
      perMetric: limitPerMetric !== undefined && limitPerMetric > 0 ? limitPerMetric : Infinity,
    }
    return sendJson(
      reply,
      await ports(request).answers.metadata(metric === '' ? undefined : metric, limits, request.left),
    )
  })
}

/** Unbounded by default; the end may be in the future, as promtool's requests a year ahead. */
function timeRange(params: Params): TimeRange {
  return {
    fromMs: optionalTime(params, 'start', TIME_MIN_MS),
    toMs: optionalTime(params, 'end', TIME_MAX_MS),
  }
}

/** The selectors of `match[]`, none when the parameter is absent. Only `/series` names the parameter in its refusals. */
export async function selectors(params: Params, parser: QueryParser): Promise<Selectors> {
  const texts = params.all('match[]')
  if (texts.length === 0) return []
  try {
    return await parser.selectors(texts)
  } catch (thrown) {
    // The only message that Prometheus words differently here than in a query.
    const isEmpty = thrown instanceof FleetError && thrown.message.endsWith(NON_EMPTY)
    throw isEmpty ? new FleetError('bad_request', `match[] ${NON_EMPTY}`) : thrown
  }
}

const NON_EMPTY = 'must contain at least one non-empty matcher'

/** A label name may be any text; one that does not fit into a path comes as `U__` with `_2e_` for a dot and `__` for `_`. */
function decodeLabelName(text: string): string {
  const name = text.startsWith('U__') ? decodeEscaped(text.slice(3)) : text
  if (name === undefined || name === '') {
    throw new FleetError('bad_request', `invalid label name: ${JSON.stringify(text)}`)
  }
  return name
}

const ESCAPED = /^(?:[^_]|__|_(?:10[0-9A-Fa-f]{4}|0?[0-9A-Fa-f]{1,5})_)*$/

function decodeEscaped(text: string): string | undefined {
  if (!ESCAPED.test(text)) return undefined
  return text.replace(/_(?:(_)|([0-9A-Fa-f]+)_)/g, (_whole, underscore: string | undefined, hex: string) =>
    underscore === undefined ? String.fromCodePoint(Number.parseInt(hex, 16)) : '_',
  )
}
