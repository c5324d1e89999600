import type { FastifyInstance } from 'fastify'

/**
 * Which pages may read the query routes. Prometheus echoes any Origin; here that would let every page somebody visits
 * read the whole fleet through their browser, so only configured origins are echoed (`web.cors-origins`; a Perses or
 * Grafana that queries from the browser belongs there), and all of them only when the option says `*`. Credentials are
 * never allowed: such a page brings a token. Install before the access check, so that a page may read why it is refused.
 */
export function installCors(app: FastifyInstance, corsOrigins: readonly string[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (request.routeOptions.config.speaks !== 'prometheus') {
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
  // A preflight carries no token, and answers nothing about the fleet.
  app.options('/api/v1/*', { config: { access: 'public', speaks: 'prometheus' } }, (_request, reply) =>
    reply.code(204).send(),
  )
}

/** Whether pages of an origin may use the query routes. */
export function isKnownOrigin(origin: string, corsOrigins: readonly string[]): boolean {
  return corsOrigins.includes(origin) || corsOrigins.includes('*')
}
