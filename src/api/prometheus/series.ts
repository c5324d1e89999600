import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { parseSelector, parseExpr } from '../../promql/parse.ts'
import { PromqlError } from '../../promql/promql-error.ts'
import type { QueryEngine } from '../../promql/query-engine.ts'
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
import { renderLabels } from './answer-json.ts'
import { sendList, JSON_TYPE, sendSuccess } from './prometheus-json.ts'
import type { ExemplarSeries } from '../../model/exemplar.ts'
import { selectorsOf } from '../../promql/ast.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { formatValue } from './format-value.ts'
import { sendInPieces } from '../server/pieces.ts'
import type { MetricFamily } from '../../model/metadata.ts'

/**
 * What is stored: `/api/v1/series`, `/labels`, `/label/{name}/values`, `/query_exemplars` (of all series that any selector
 * of an expression matches) and `/metadata` (as senders report it, by metric family).
 */
export function registerSeriesRoutes(app: FastifyInstance, query: QueryEngine, language: ParseOptions): void {
  const config = { access: 'viewer', dialect: 'prometheus' } as const

  getOrPost(app, '/api/v1/series', async (request, reply) => {
    const params = paramsOf(request)
    const limit = limitParam(params)
    if (params.all('match[]').length === 0) throw new FleetError('bad_request', 'no match[] parameter provided')
    const range = timeRange(params)
    const series = await query.series(
      namingParam('match[]', () => selectors(params)),
      range,
    )
    return sendList(reply, series, limit, renderLabels)
  })

  getOrPost(app, '/api/v1/labels', async (request, reply) => {
    const params = paramsOf(request)
    const limit = limitParam(params)
    const range = timeRange(params)
    const names = await query.labelNames(selectors(params), range)
    return sendList(reply, names, limit, (name) => JSON.stringify(name))
  })

  app.get<{ Params: { name: string } }>('/api/v1/label/:name/values', { config }, async (request, reply) => {
    const name = decodeLabelName(request.params.name)
    const params = paramsOf(request)
    const limit = limitParam(params)
    const range = timeRange(params)
    const values = await query.labelValues(name, selectors(params), range)
    return sendList(reply, values, limit, (value) => JSON.stringify(value))
  })

  getOrPost(app, '/api/v1/query_exemplars', async (request, reply) => {
    const params = paramsOf(request)
    const range = timeRange(params)
    if (range.toMs < range.fromMs) {
      throw new FleetError('bad_request', 'end timestamp must not be before start timestamp')
    }
    const selectors = selectorsOf(parseExpr(params.get('query'), language)).map(({ matchers }) => matchers)
    // The engine would take an empty list of selectors for all series.
    if (selectors.length === 0) return sendSuccess(reply, '[]')
    const found = await query.exemplars(selectors, range)
    const count = found.reduce((sum, { exemplars }) => sum + exemplars.length, 0)
    return sendInPieces(reply, JSON_TYPE, count, () => exemplarJson(found))
  })

  app.get('/api/v1/metadata', { config }, async (request, reply) => {
    const params = paramsOf(request)
    const limit = optionalCount(params, 'limit')
    const limitPerMetric = optionalCount(params, 'limit_per_metric')
    const metric = params.get('metric')
    const families = await query.metadata(metric === '' ? undefined : metric)
    // As in Prometheus: a limit of 0 counts, 0 per metric means no limit.
    const shown = limit !== undefined && limit >= 0 ? families.slice(0, limit) : families
    const perMetric = limitPerMetric !== undefined && limitPerMetric > 0 ? limitPerMetric : Infinity
    return sendInPieces(reply, JSON_TYPE, shown.length, () => metadataJson(shown, perMetric))
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
      // The only message that Prometheus words differently here than in a query.
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

function* metadataJson(families: readonly MetricFamily[], perMetric: number): Generator<string> {
  yield '{"status":"success","data":{'
  for (let i = 0; i < families.length; i++) {
    const { name, metadata } = families[i]!
    const shown = metadata.slice(0, perMetric).map(({ type, help, unit }) => ({ type, help, unit }))
    yield `${i === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(shown)}`
  }
  yield '}}'
}
