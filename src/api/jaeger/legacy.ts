import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { TraceQuery } from '../../model/span.ts'
import {
  badParam,
  checkDurations,
  goDurationNs,
  kindParam,
  limitParam,
  textsParam,
  traceIdParam,
  unixNs,
} from './params.ts'
import { NOT_FOUND } from './trace-answers.ts'
import { paramsOf, type Params } from '../prometheus/params.ts'
import { sendJson } from '../prometheus/prometheus-json.ts'
import type { ApiTraces } from './trace-answers.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/**
 * The first HTTP API of Jaeger's query service, which Grafana's data source and older pages use: services, operations,
 * search, one trace, dependencies. Every answer is in one envelope; errors too.
 */
const CONFIG = { access: 'viewer', dialect: 'jaeger', scope: 'clusters', lane: 'query' } as const

/** The default search range, as in Jaeger: two days. */
const LOOKBACK_NS = 48n * 3_600_000_000_000n
const US = 1000n
const MS = 1_000_000n

interface LegacyError {
  readonly code: number
  readonly msg: string
  readonly traceID?: string
}

export function registerJaegerLegacy(
  app: FastifyInstance,
  ports: PortsOf<{ readonly traces: ApiTraces }>,
  clock: Clock,
): void {
  app.get('/api/services', { config: CONFIG }, async (request, reply) => {
    const services = await ports(request).traces.services()
    return send(reply, services, { total: services.length })
  })
  app.get<{ Params: { service: string } }>(
    '/api/services/:service/operations',
    { config: CONFIG },
    async (request, reply) => {
      const operations = await ports(request).traces.operations(request.params.service)
      const names = [...new Set(operations.map(({ name }) => name))]
      return send(reply, names, { total: names.length })
    },
  )
  app.get('/api/operations', { config: CONFIG }, async (request, reply) => {
    const params = paramsOf(request)
    const service = params.get('service')
    if (service === '') throw badParam('service', 'it is needed')
    const operations = await ports(request).traces.operations(service, kindParam('spanKind', params.get('spanKind')))
    const shown = operations.map(({ name, kind }) => ({ name, spanKind: kind === 'unspecified' ? '' : kind }))
    return send(reply, shown, { total: shown.length })
  })
  app.get('/api/traces', { config: CONFIG }, async (request, reply) => {
    const params = paramsOf(request)
    const ids = params.all('traceID').filter((id) => id !== '')
    if (ids.length > 0) {
      const wanted = ids.map(traceIdParam)
      const found = await ports(request).traces.answer('legacy', { ids: wanted }, request.left)
      if (found !== undefined) return sendJson(reply, found)
      return send(reply, [], { errors: [...new Set(wanted)].map((traceID) => ({ ...NOT_FOUND, traceID })) })
    }
    const found = await ports(request).traces.answer('legacy', { query: queryOf(params, clock.nowMs()) }, request.left)
    return found === undefined ? send(reply, []) : sendJson(reply, found)
  })
  app.get<{ Params: { traceId: string } }>('/api/traces/:traceId', { config: CONFIG }, async (request, reply) => {
    const found = await ports(request).traces.answer(
      'legacy',
      { ids: [traceIdParam(request.params.traceId)] },
      request.left,
    )
    return found === undefined ? sendErrors(reply, 404, [NOT_FOUND]) : sendJson(reply, found)
  })
  app.get('/api/dependencies', { config: CONFIG }, async (request, reply) => {
    const params = paramsOf(request)
    const toNs = unixNs('endTs', params.get('endTs'), MS) ?? BigInt(clock.nowMs()) * MS
    const lookbackNs = unixNs('lookback', params.get('lookback'), MS) ?? 24n * 3_600_000n * MS
    return send(
      reply,
      await ports(request).traces.dependencies(
        { fromNs: toNs > lookbackNs ? toNs - lookbackNs : 0n, toNs },
        request.left,
      ),
    )
  })
}

function queryOf(params: Params, nowMs: number): TraceQuery {
  const service = params.get('service')
  if (service === '') throw badParam('service', 'it is needed')
  const toNs = unixNs('end', params.get('end'), US) ?? BigInt(nowMs) * MS
  const minNs = goDurationNs('minDuration', params.get('minDuration'))
  const maxNs = goDurationNs('maxDuration', params.get('maxDuration'))
  checkDurations(minNs, maxNs, 'maxDuration')
  const operation = params.get('operation')
  return {
    service,
    ...(operation !== '' && { operation }),
    attributes: { ...pairs(params.all('tag')), ...textsParam('tags', params.get('tags')) },
    fromNs: unixNs('start', params.get('start'), US) ?? (toNs > LOOKBACK_NS ? toNs - LOOKBACK_NS : 0n),
    toNs,
    ...(minNs !== undefined && { minDurationNs: minNs }),
    ...(maxNs !== undefined && { maxDurationNs: maxNs }),
    limit: limitParam('limit', params.get('limit')),
  }
}

/** `key:value`, where the value may have colons. */
function pairs(tags: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    tags.map((tag) => {
      const at = tag.indexOf(':')
      if (at === -1) throw badParam('tag', `got ${JSON.stringify(tag)}, want key:value`)
      return [tag.slice(0, at), tag.slice(at + 1)]
    }),
  )
}

function send(
  reply: FastifyReply,
  data: readonly unknown[],
  more: { readonly total?: number; readonly errors?: readonly LegacyError[] | null } = {},
): FastifyReply {
  const envelope = { data, total: 0, limit: 0, offset: 0, errors: null, ...more }
  return reply.type('application/json').send(Buffer.from(JSON.stringify(envelope)))
}

function sendErrors(reply: FastifyReply, status: number, errors: readonly LegacyError[]): FastifyReply {
  void reply.code(status).type('application/json')
  return reply.send(Buffer.from(legacyErrors(errors)))
}

/** The envelope of what went wrong. */
export function legacyErrors(errors: readonly LegacyError[]): string {
  return JSON.stringify({ data: null, total: 0, limit: 0, offset: 0, errors })
}
