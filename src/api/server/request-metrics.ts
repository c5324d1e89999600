import type { FastifyInstance } from 'fastify'
import type { OwnMetrics } from '../../base/metrics.ts'

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
