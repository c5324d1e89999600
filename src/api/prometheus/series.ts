import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { parseSelector } from '../../promql/parse.ts'
import { PromqlError } from '../../promql/promql-error.ts'
import type { QueryEngine } from '../../promql/query-engine.ts'
import { TIME_MAX_MS, TIME_MIN_MS, limitParam, namingParam, optionalTime, paramsOf, type Params } from './params.ts'
import { renderLabels } from './answer-json.ts'
import { sendList } from './prometheus-json.ts'

/** Which series, label names and label values there are: `/api/v1/series`, `/labels`, `/label/{name}/values`. */
export function registerSeriesRoutes(app: FastifyInstance, query: QueryEngine): void {
  const config = { access: 'viewer', dialect: 'prometheus' } as const

  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/series',
    config,
    handler: async (request, reply) => {
      const params = paramsOf(request)
      const limit = limitParam(params)
      if (params.all('match[]').length === 0) throw new FleetError('bad_request', 'no match[] parameter provided')
      const range = timeRange(params)
      const series = await query.series(
        namingParam('match[]', () => selectors(params)),
        range,
      )
      return sendList(reply, series, limit, renderLabels)
    },
  })

  app.route({
    method: ['GET', 'POST'],
    url: '/api/v1/labels',
    config,
    handler: async (request, reply) => {
      const params = paramsOf(request)
      const limit = limitParam(params)
      const range = timeRange(params)
      const names = await query.labelNames(selectors(params), range)
      return sendList(reply, names, limit, (name) => JSON.stringify(name))
    },
  })

  app.get<{ Params: { name: string } }>('/api/v1/label/:name/values', { config }, async (request, reply) => {
    const name = decodeLabelName(request.params.name)
    const params = paramsOf(request)
    const limit = limitParam(params)
    const range = timeRange(params)
    const values = await query.labelValues(name, selectors(params), range)
    return sendList(reply, values, limit, (value) => JSON.stringify(value))
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
export function selectors(params: Params): readonly (readonly Matcher[])[] {
  return params.all('match[]').map((text) => {
    try {
      return parseSelector(text)
    } catch (thrown) {
      if (!(thrown instanceof PromqlError)) throw thrown
      // The one finding that Prometheus words otherwise here than in a query.
      const isEmpty = thrown.diagnostic.message.endsWith(NON_EMPTY)
      throw isEmpty ? new FleetError('bad_request', `match[] ${NON_EMPTY}`) : thrown
    }
  })
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
