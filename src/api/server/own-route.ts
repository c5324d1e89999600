import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { FleetError } from '../../base/errors.ts'
import type { Shape } from '../../contract/common.ts'
import { readQuery } from '../fleet/query.ts'
import type { Lane, Operation, RouteScope } from './route-config.ts'

interface OwnRequest<P extends string, Q extends TObject, B extends TSchema> {
  readonly params: Readonly<Record<P, string>>
  readonly query: Static<Q>
  readonly body: Shape<B>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

interface OwnRoute<P extends string, Q extends TObject, B extends TSchema, A extends TSchema> extends Operation {
  /** `viewer` when absent. */
  readonly access?: 'responder' | 'admin'
  /** `clusters` when absent: its ports are those of the request. */
  readonly scope?: RouteScope
  /** See `laneOf`. */
  readonly lane?: Lane
  /** Of a body above the limit of all routes. */
  readonly bodyBytesMax?: number
  readonly path?: Readonly<Record<P, string>>
  /** Unknown and invalid parameters are refused. */
  readonly query?: Q
  /** Parameters that the handler reads itself: unknown ones are ignored. */
  readonly documentedQuery?: TObject
  /** A body that the handler reads itself. */
  readonly documentedBody?: TSchema
  /** An invalid body is refused. */
  readonly body?: B
  readonly answer: A
  readonly handler: (request: OwnRequest<P, Q, B>) => Shape<A> | FastifyReply | Promise<Shape<A> | FastifyReply>
}

/** Registers a route that is documented and read by its schemas. @param route `GET /api/fleet/v1/clusters/:cluster` */
export function ownRoute<
  A extends TSchema,
  P extends string = never,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
>(app: FastifyInstance, route: `${HTTPMethods} /${string}`, declared: OwnRoute<P, Q, B, A>): void {
  const { access = 'viewer', scope = 'clusters', lane, bodyBytesMax, handler, ...described } = declared
  const { documentedQuery, documentedBody, ...rest } = described
  const operation: Operation = {
    ...rest,
    ...(documentedQuery === undefined ? {} : { query: documentedQuery }),
    ...(documentedBody === undefined ? {} : { body: documentedBody }),
  }
  const [method, url] = route.split(' ') as [HTTPMethods, string]
  app.route({
    method,
    url,
    ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
    config: {
      ...{ access, dialect: 'own', scope, operation, isEndless: declared.mediaType === 'text/event-stream' },
      ...(lane !== undefined && { lane }),
    },
    handler: (request, reply) => {
      const query = declared.query === undefined ? {} : readQuery(declared.query, request)
      if (declared.body !== undefined) checkBody(declared.body, request.body)
      if (declared.status !== undefined) void reply.code(declared.status)
      const params = request.params as Record<P, string>
      return handler({ params, query: query as Static<Q>, body: request.body as Shape<B>, request, reply })
    },
  })
}

/** Throws `bad_request` with the first violation of the schema. */
function checkBody(schema: TSchema, body: unknown): void {
  if (Value.Check(schema, body)) return
  const [first] = Value.Errors(schema, body)
  const place = first === undefined || first.instancePath === '' ? 'the body' : first.instancePath.slice(1)
  throw new FleetError('bad_request', `${place} ${first?.message ?? 'is missing'}`)
}
