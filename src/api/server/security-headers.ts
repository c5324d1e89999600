import type { FastifyInstance } from 'fastify'
// The types of a route's config.
import type {} from './route-config.ts'

/**
 * Headers that keep a browser from doing more with our answers than they need. They are the same for every request, so
 * they are constants; a library that works them out anew each time was a tenth of what a small query costs.
 */

/** Of pages. A style that a program sets on an element is no inline style. */
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

/** Of pages, and of all that is text: what `helmet` sets by default, with a policy of our own. */
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
// TLS ends in front of us, if there is TLS: whoever ends it sends strict-transport-security.

/** Of data: opened as a page it may do nothing, and no other site may embed or sniff it. */
const DATA_HEADERS = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Before any other hook, so that refusals have them too. */
export function installSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { speaks } = request.routeOptions.config
    void reply.headers(request.is404 || speaks === undefined || speaks === 'text' ? PAGE_HEADERS : DATA_HEADERS)
    done()
  })
}
