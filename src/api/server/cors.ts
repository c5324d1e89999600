import type { FastifyInstance } from 'fastify'

/**
 * Which pages may read the query routes. Prometheus echoes any Origin; here that would let every visited page read the
 * whole fleet through the user's browser, so only configured origins are echoed (`web.cors-origins`, for a Perses or
 * Grafana that queries from the browser), and all of them only for `*`. Credentials are never allowed: such a page sends
 * a token. Install before the access check, so that a page can read the reason of a refusal.
 */
export function installCors(app: FastifyInstance, corsOrigins: readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (request.routeOptions.config.dialect !== 'prometheus') {
      done()
      return
    }
    if (corsOrigins.length > 0) void reply.header('vary', 'Origin')
    if (origin !== undefined && isKnownOrigin(origin, corsOrigins)) {
      void reply.headers({
        'access-control-allow-origin': corsOrigins.includes('*') ? '*' : origin,
        'access-control-allow-methods': 'GET, POST, OPTIONS',
        'access-control-allow-headers': 'Accept, Authorization, Content-Type, Origin',
        'access-control-expose-headers': 'Date',
      })
    }
    done()
  })
  // A preflight carries no token, and its response reveals nothing about the fleet.
  app.options('/api/v1/*', { config: { access: 'public', dialect: 'prometheus' } }, (_request, reply) =>
    reply.code(204).send(),
  )
}

/** Whether pages of an origin may use the query routes. */
export function isKnownOrigin(origin: string, corsOrigins: readonly string[]): boolean {
  return corsOrigins.includes(origin) || corsOrigins.includes('*')
}
