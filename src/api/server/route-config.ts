import type { FastifyInstance } from 'fastify'
import { invariant } from '../../base/invariant.ts'
import type { Access, Principal } from '../../model/token.ts'

/**
 * What each route declares about itself. Security is a property of the route: one that does not say who may use it
 * stops the server from starting.
 */

/**
 * How errors are told: Prometheus' JSON, Daytwo's own JSON (`OwnError`), OTLP's google.rpc.Status, Alertmanager's
 * `{code, message}`, the envelopes of Jaeger's two generations, or one line of text.
 */
type Dialect = 'prometheus' | 'own' | 'otlp' | 'alertmanager' | 'jaeger' | 'jaeger_v3' | 'text'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    speaks?: Dialect
    /** Pages of any origin may send to it (the browser telemetry intake). All others refuse foreign pages. */
    isOpenToOrigins?: boolean
    /** It answers for as long as somebody listens: how long that took says nothing, and is not told. */
    isEndless?: boolean
    /** Set by `answerWrongMethods` only. */
    isWrongMethod?: boolean
  }
  interface FastifyRequest {
    /** Who asks; `undefined` when no token was given or needed. */
    principal: Principal | undefined
  }
  interface FastifyInstance {
    /** All routes, in the order of registration. */
    routeTable: readonly RouteEntry[]
  }
}

interface RouteEntry {
  readonly method: string
  readonly url: string
  readonly access: Access
  readonly speaks: Dialect
  /** Only there to answer 405. */
  readonly isWrongMethod: boolean
}

/** Watches routes as they are declared. Register before any route. */
export function installRouteTable(app: FastifyInstance): void {
  const entries: RouteEntry[] = []
  app.decorate('routeTable', entries)
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat()
    const { access, speaks, isWrongMethod = false } = route.config ?? {}
    invariant(access !== undefined, `route ${methods.join(',')} ${route.url} declares who may use it (config.access)`)
    invariant(
      speaks !== undefined,
      `route ${methods.join(',')} ${route.url} declares how it tells errors (config.speaks)`,
    )
    for (const method of methods) entries.push({ method, url: route.url, access, speaks, isWrongMethod })
  })
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * A known path asked with another method answers 405 and says which methods it has. Call when all routes are there.
 * Public, because the table of routes is: it says nothing about the fleet.
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
      config: { access: 'public', speaks: 'text', isWrongMethod: true },
      // Answered before the body is looked at: what is sent does not matter, and may be of any type.
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

/** Below it Alertmanager's clients ask, and want JSON whatever happens. */
export function isAlertmanagerPath(url: string): boolean {
  return url.startsWith('/api/v2/')
}
