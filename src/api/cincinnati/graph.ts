/**
 * The update graph as an update service serves it, so that what reads OpenShift's service reads this one: docs/design/cincinnati.md
 * of openshift/cincinnati, with the errors of its policy engine.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { ServedGraph, ServedGraphQuery } from '../../contract/update-graph.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import { GRAPH_OPERATORS } from '../../model/graph-import.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { ownRoute } from '../server/own-route.ts'

const CHANNEL = /^[0-9a-z.-]{1,300}$/

/** The error types of the policy engine that a client can cause. */
type ErrorKind = 'missing_params' | 'invalid_params' | 'invalid_content_type'

const STATUSES: Readonly<Record<ErrorKind, number>> = {
  missing_params: 400,
  invalid_params: 400,
  invalid_content_type: 406,
}

/** A refusal in the documented form. */
interface GraphError {
  readonly kind: ErrorKind
  readonly value: string
}

export function registerServedGraph(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/upgrades_info/graph', {
    scope: 'none',
    summary: 'The imported update graph of a channel, in the form of Cincinnati.',
    documentedQuery: ServedGraphQuery,
    answer: ServedGraph,
    handler: async ({ request, reply }) => {
      const read = readRequest(request)
      if ('kind' in read) return sendJson(reply.code(STATUSES[read.kind]), read)
      const graph = await ports(request).fleet({ nowMs: clock.nowMs() }).servedGraph(read)
      return sendJson(reply, graph)
    },
  })
}

/** With the media type of the specification, which has no charset. */
function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return reply.header('content-type', 'application/json').send(Buffer.from(JSON.stringify(value)))
}

function readRequest({ headers, query }: FastifyRequest) {
  if (!acceptsJson(headers.accept)) return refusal('invalid_content_type', 'invalid Content-Type requested')
  const params = new Map(Object.entries(query as Readonly<Record<string, unknown>>))
  const channel = params.get('channel')
  if (channel === undefined || channel === '') {
    return refusal('missing_params', 'mandatory client parameters missing: channel')
  }
  if (typeof channel !== 'string' || !CHANNEL.test(channel)) {
    return refusal(
      'invalid_params',
      `invalid client parameters: channel ${JSON.stringify(channel)} does not match ${CHANNEL.source}`,
    )
  }
  const [arch, named] = [params.get('arch'), params.get('operator')]
  if (arch !== undefined && typeof arch !== 'string') {
    return refusal('invalid_params', 'invalid client parameters: arch is given more than once')
  }
  const operator = GRAPH_OPERATORS.find((known) => known === named)
  if (named !== undefined && operator === undefined) {
    return refusal('invalid_params', `invalid client parameters: operator is none of ${GRAPH_OPERATORS.join(', ')}`)
  }
  return {
    channel,
    ...(arch === undefined || arch === '' ? {} : { arch }),
    ...(operator === undefined ? {} : { operator }),
  }
}

function refusal(kind: ErrorKind, value: string): GraphError {
  return { kind, value }
}

/** Without the header anything is accepted. */
function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return true
  return accept.split(',').some((type) => {
    const [name = ''] = type.trim().toLowerCase().split(';')
    return ['application/json', 'application/*', '*/*'].includes(name.trim())
  })
}
