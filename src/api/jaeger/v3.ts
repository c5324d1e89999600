import type { FastifyInstance, FastifyReply } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { TraceQuery } from '../../model/span.ts'
import {
  badParam,
  checkDurations,
  goDurationNs,
  kindParam,
  limitParam,
  rfc3339Ns,
  textsParam,
  traceIdParam,
} from './params.ts'
import { paramsOf, type Params } from '../prometheus/params.ts'
import { sendJson } from '../prometheus/prometheus-json.ts'
import type { AnswerBytes } from '../server/answer-bytes.ts'
import type { ApiTraces } from './trace-answers.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/**
 * The third HTTP API of Jaeger's query service (api_v3), which its pages use since 2.19: traces as OTLP/JSON. Names of
 * parameters are taken in their older spelling too (`query.service_name`), which Grafana still sends.
 */
const CONFIG = { access: 'viewer', dialect: 'jaeger_v3', scope: 'clusters', lane: 'query' } as const

export function registerJaegerV3(app: FastifyInstance, ports: PortsOf<{ readonly traces: ApiTraces }>): void {
  app.get('/api/v3/services', { config: CONFIG }, async (request, reply) =>
    send(reply, { services: await ports(request).traces.services() }),
  )
  app.get('/api/v3/operations', { config: CONFIG }, async (request, reply) => {
    const params = paramsOf(request)
    const service = params.get('service')
    if (service === '') throw badParam('service', 'it is needed')
    const kind = kindParam('spanKind', oneOf(params, 'spanKind', 'span_kind'))
    // An unspecified kind is shown as internal, and filtered as such.
    const shown = (await ports(request).traces.operations(service)).map((one) => ({
      name: one.name,
      spanKind: one.kind === 'unspecified' ? 'internal' : one.kind,
    }))
    const operations = shown.filter(({ name, spanKind }, i) => {
      const isFirst = shown.findIndex((one) => one.name === name && one.spanKind === spanKind) === i
      return isFirst && (kind ?? spanKind) === spanKind
    })
    return send(reply, { operations })
  })
  app.get('/api/v3/traces', { config: CONFIG }, async (request, reply) =>
    sendFound(reply, await ports(request).traces.answer('v3', { query: queryOf(paramsOf(request)) }, request.left)),
  )
  app.get<{ Params: { traceId: string } }>('/api/v3/traces/:traceId', { config: CONFIG }, async (request, reply) => {
    const params = paramsOf(request)
    // Only checked: a trace is shown whole.
    rfc3339Ns('startTime', oneOf(params, 'startTime', 'start_time'))
    rfc3339Ns('endTime', oneOf(params, 'endTime', 'end_time'))
    return sendFound(
      reply,
      await ports(request).traces.answer('v3', { ids: [traceIdParam(request.params.traceId)] }, request.left),
    )
  })
  app.get('/api/v3/trace-summaries', { config: CONFIG }, async (request, reply) => {
    const found = await ports(request).traces.answer('summaries', { query: queryOf(paramsOf(request)) }, request.left)
    return found === undefined ? send(reply, { summaries: [] }) : sendJson(reply, found)
  })
  app.get('/api/v3/dependencies', { config: CONFIG }, async (request, reply) => {
    const { fromNs, toNs } = rangeOf(paramsOf(request), ['startTime', 'start_time'], ['endTime', 'end_time'])
    const dependencies = await ports(request).traces.dependencies({ fromNs, toNs }, request.left)
    return send(reply, {
      // A 64-bit number is a text in this encoding.
      dependencies: dependencies.map(({ callCount, ...names }) => ({ ...names, callCount: String(callCount) })),
    })
  })
}

function queryOf(params: Params): TraceQuery {
  if (params.get('query.filter') !== '') throw badParam('query.filter', 'filters are not known here')
  const service = oneOf(params, 'query.serviceName', 'query.service_name')
  const operation = oneOf(params, 'query.operationName', 'query.operation_name')
  const minNs = goDurationNs('query.durationMin', oneOf(params, 'query.durationMin', 'query.duration_min'))
  const maxNs = goDurationNs('query.durationMax', oneOf(params, 'query.durationMax', 'query.duration_max'))
  checkDurations(minNs, maxNs, 'query.durationMax')
  const depth =
    oneOf(params, 'query.searchDepth', 'query.search_depth') || oneOf(params, 'query.numTraces', 'query.num_traces')
  return {
    ...(service !== '' && { service }),
    ...(operation !== '' && { operation }),
    attributes: textsParam('query.attributes', params.get('query.attributes')),
    ...rangeOf(params, ['query.startTimeMin', 'query.start_time_min'], ['query.startTimeMax', 'query.start_time_max']),
    ...(minNs !== undefined && { minDurationNs: minNs }),
    ...(maxNs !== undefined && { maxDurationNs: maxNs }),
    limit: limitParam('query.searchDepth', depth),
  }
}

type Spellings = readonly [name: string, older: string]

/** Both are needed, and the first is before the second. */
function rangeOf(params: Params, from: Spellings, to: Spellings): { readonly fromNs: bigint; readonly toNs: bigint } {
  const [fromNs, toNs] = [from, to].map((names) => rfc3339Ns(names[0], oneOf(params, ...names)))
  if (fromNs === undefined) throw badParam(from[0], 'it is needed')
  if (toNs === undefined) throw badParam(to[0], 'it is needed')
  if (fromNs >= toNs) throw badParam(from[0], `it is not before ${to[0]}`)
  return { fromNs, toNs }
}

function oneOf(params: Params, ...names: Spellings): string {
  return params.get(names[0]) || params.get(names[1])
}

function sendFound(reply: FastifyReply, found: AnswerBytes | undefined): FastifyReply {
  if (found === undefined) throw new FleetError('not_found', 'No traces found')
  return sendJson(reply, found)
}

function send(reply: FastifyReply, answer: unknown): FastifyReply {
  return reply.type('application/json').send(Buffer.from(JSON.stringify(answer)))
}

/** The error format of this API. */
export function v3Error(httpCode: number, message: string): string {
  return JSON.stringify({ error: { httpCode, message } })
}
