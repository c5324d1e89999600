import type { FastifyInstance } from 'fastify'
import type {} from './route-config.ts'

// The types of a route's config.

/**
 * Headers that restrict what a browser may do with responses. They are constants, because a library that computes them
 * per request cost a tenth of a small query.
 */

/** For pages. A style that a script sets on an element does not count as an inline style. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';')

/** For pages and all text: the defaults of `helmet`, with Daytwo's own policy. */
const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const

/** Only where this server terminates TLS; elsewhere the proxy sends it. */
const TRANSPORT_SECURITY = { 'strict-transport-security': 'max-age=31536000' } as const

/** For data: opened as a page it may do nothing, and no other site may embed or sniff it. */
const DATA_HEADERS = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Installed before any other hook, so that refusals have them too. */
export function installSecurityHeaders(app: FastifyInstance, isTls: boolean): void {
  const pageHeaders = isTls ? { ...PAGE_HEADERS, ...TRANSPORT_SECURITY } : PAGE_HEADERS
  app.addHook('onRequest', (request, reply, done) => {
    const { dialect = 'text' } = request.routeOptions.config
    void reply.headers(request.is404 || dialect === 'text' ? pageHeaders : DATA_HEADERS)
    done()
  })
}

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
