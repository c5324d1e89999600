import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { invariant } from '../../base/invariant.ts'
import type { ClusterScope } from '../../model/cluster-scope.ts'
import type { Access, Principal } from '../../model/token.ts'

/**
 * The declarations of each route. Access is a property of the route: a route without it prevents the start of the server.
 */

/**
 * The format of errors: Prometheus' JSON, Daytwo's own JSON (`OwnError`), OTLP's google.rpc.Status, Alertmanager's
 * `{code, message}`, the envelopes of Jaeger's two generations, or one line of text.
 */
type Dialect = 'prometheus' | 'own' | 'otlp' | 'alertmanager' | 'jaeger' | 'jaeger_v3' | 'text'

/** A route of Daytwo's own API as `/api/openapi.json` documents it. */
export interface Operation {
  /** One line. */
  readonly summary: string
  /** The description of each path parameter. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: TSchema
  readonly body?: TSchema
  readonly answer: TSchema
  /** When the response is not JSON: a stream of events with data of the schema `answer`, or a file. */
  readonly mediaType?: 'text/event-stream' | 'application/zip'
  /** The status of success; 200 when absent. */
  readonly status?: 201
}

/**
 * What a route shows or changes. `clusters`: what is about clusters, by ports of the request's scope alone
 * (`scope/fleet-ports.ts`). `fleet`: what is about all clusters or about the server: refused to a principal with a scope.
 * `none`: nothing that a cluster sent.
 */
export const ROUTE_SCOPES = ['clusters', 'fleet', 'none'] as const
export type RouteScope = (typeof ROUTE_SCOPES)[number]

/** Which queue a request passes before the query worker serves it. */
export type Lane = 'query' | 'view'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    dialect?: Dialect
    scope?: RouteScope
    /** Accepts requests from pages of any origin (browser telemetry). All other routes refuse foreign pages. */
    isOpenToOrigins?: boolean
    /** Prometheus drops the samples of a remote write that is answered 429, and repeats them after 503. */
    isDroppedOn429?: boolean
    /** The response lasts as long as the client listens, so its duration is not measured. */
    isEndless?: boolean
    /** See `laneOf`. */
    lane?: Lane
    /** Set by `ownRoute` only. */
    operation?: Operation
    /** Set by `answerWrongMethods` only. */
    isWrongMethod?: boolean
  }
  interface FastifyRequest {
    /** The owner of the token; `undefined` without a token. */
    principal: Principal | undefined
    /** The clusters of this request: those of the principal's roles that have the access of the route. */
    scope: ClusterScope
    /** Aborted when the client has left before its response, or the server stops; `undefined` on a route without a lane. */
    left: AbortSignal | undefined
  }
  interface FastifyInstance {
    /** All routes, in the order of registration. */
    routeTable: readonly RouteEntry[]
  }
}

/**
 * The queue of a route: `query` where it is declared, `view` for all other routes that show something of the fleet.
 * `undefined`: nothing is asked of the query worker, or the response is endless.
 */
export function laneOf({ lane, access, dialect, isEndless }: FastifyContextConfig): Lane | undefined {
  if (isEndless === true) return undefined
  const isView = dialect !== 'text' && (access === 'viewer' || access === 'responder' || access === 'admin')
  return lane ?? (isView ? 'view' : undefined)
}

/** Public routes show nothing of the fleet; senders may write for any cluster. `undefined`: the route has to declare it. */
export function routeScopeOf({ scope, access }: FastifyContextConfig): RouteScope | undefined {
  return scope ?? (access === 'public' ? 'none' : access === 'ingest' ? 'fleet' : undefined)
}

interface RouteEntry {
  readonly method: string
  readonly url: string
  readonly access: Access
  readonly dialect: Dialect
  readonly scope: RouteScope
  readonly lane: Lane | undefined
  /** Exists only to answer 405. */
  readonly isWrongMethod: boolean
  readonly operation: Operation | undefined
}

/** Collects the declared routes. Register before any route. */
export function installRouteTable(app: FastifyInstance): void {
  const entries: RouteEntry[] = []
  app.decorate('routeTable', entries)
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat()
    const { access, dialect, isWrongMethod = false, operation } = route.config ?? {}
    const name = `${methods.join(',')} ${route.url}`
    invariant(access !== undefined, `route ${name} declares who may use it (config.access)`)
    invariant(dialect !== undefined, `route ${name} declares the format of its errors (config.dialect)`)
    const scope = routeScopeOf(route.config ?? {})
    invariant(scope !== undefined, `route ${name} declares what it shows of the fleet (config.scope)`)
    const lane = laneOf(route.config ?? {})
    for (const method of methods)
      entries.push({ method, url: route.url, access, dialect, scope, lane, isWrongMethod, operation })
  })
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * A known path requested with another method answers 405 and lists its methods. Call after all routes are registered.
 * Public, because the route table reveals nothing about the fleet.
 */
export function answerWrongMethods(app: FastifyInstance): void {
  const methodsByUrl = new Map<string, Set<string>>()
  for (const { url, method } of app.routeTable) {
    if (url.includes('*')) continue
    methodsByUrl.set(url, (methodsByUrl.get(url) ?? new Set()).add(method))
  }
  for (const [url, known] of methodsByUrl) {
    // Preflights below /api/v1 have a route of their own.
    const missing = METHODS.filter(
      (method) => !known.has(method) && !(method === 'OPTIONS' && url.startsWith('/api/v1/')),
    )
    if (missing.length === 0) continue
    const allow = [...known].sort().join(', ')
    app.route({
      method: missing,
      url,
      config: { access: 'public', dialect: 'text', isWrongMethod: true },
      // Answered before the body is parsed, which may be of any type.
      onRequest: (request, reply, done) => {
        void reply.code(405).header('allow', allow)
        if (isAlertmanagerPath(url)) {
          const message = `method ${request.method} is not allowed, but [${allow.replaceAll(', ', ',')}] are`
          void reply.type('application/json').send(Buffer.from(`${JSON.stringify({ code: 405, message })}\n`))
        } else void reply.type('text/plain; charset=utf-8').send('Method Not Allowed\n')
        done()
      },
      handler: () => {
        throw new Error('unreachable: answered in onRequest')
      },
    })
  }
}

/** Alertmanager's clients use these paths and expect JSON for every status. */
export function isAlertmanagerPath(url: string): boolean {
  return url.startsWith('/api/v2/')
}
