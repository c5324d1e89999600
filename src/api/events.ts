import type { FastifyInstance } from 'fastify'
import type { EventFeed } from './event-feed.ts'

/** `GET /api/fleet/v1/events`: what changes, as it changes. Server-sent events: a browser reads them by itself. */
export function registerEvents(app: FastifyInstance, feed: Pick<EventFeed, 'listen' | 'stop'>): void {
  app.get(
    '/api/fleet/v1/events',
    { config: { access: 'viewer', speaks: 'own', isEndless: true } },
    (request, reply) => {
      const lastEventId = request.headers['last-event-id']
      const stream = feed.listen(typeof lastEventId === 'string' ? lastEventId : undefined)
      return (
        reply
          .header('content-type', 'text/event-stream; charset=utf-8')
          .header('cache-control', 'no-store')
          // A proxy that collects an answer before it passes it on would collect this one for ever.
          .header('x-accel-buffering', 'no')
          // Nothing comes after it on its connection, and a server that ends does not wait for that.
          .header('connection', 'close')
          .send(stream)
      )
    },
  )
  // Before the server waits for what is under way: these would never end.
  app.addHook('preClose', (done) => {
    feed.stop()
    done()
  })
}
