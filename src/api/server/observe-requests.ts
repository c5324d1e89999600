import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OpenSpan, Tracing } from '../../base/tracing.ts'
import type { OwnMetrics } from '../../base/metrics.ts'

/**
 * A span for each request, named by its route and never by its path. `isMuted` selects requests that are not traced, nor
 * any work that they cause: own traces arrive as requests, and tracing those would never end.
 */
export function installRequestTraces(
  app: FastifyInstance,
  tracing: Tracing,
  isMuted: (headers: FastifyRequest['headers']) => boolean,
): void {
  if (!tracing.isOn) return
  const spans = new WeakMap<FastifyRequest, OpenSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none')
    const { method } = request
    const span =
      isMuted(request.headers) || request.routeOptions.config.isEndless === true
        ? tracing.muted()
        : tracing.open(`${method} ${route}`, { 'http.request.method': method, 'http.route': route }, 'server')
    spans.set(request, span)
    span.within(done)
  })
  // The body is read in the context of the connection, outside the span.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.within(done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request)
    span?.set('http.response.status_code', statusCode)
    span?.end(statusCode >= 500 ? `answered ${statusCode}` : undefined)
    done()
  })
}

/** Counts every answer by route pattern, never by path: the number of label sets is bounded by the route table. */
export function installRequestMetrics(app: FastifyInstance, metrics: OwnMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none')
    metrics.httpRequests.inc({ route, method: request.method, status: String(reply.statusCode) })
    if (request.routeOptions.config.isEndless !== true) {
      metrics.httpSeconds.observe({ route }, reply.elapsedTime / 1000)
    }
    done()
  })
}
