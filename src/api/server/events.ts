import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { EventFeed } from './event-feed.ts'

interface EventsDeps {
  readonly feed: Pick<EventFeed, 'listen' | 'stop'>
  readonly clock: Pick<Clock, 'after'>
  /** Whether who listens would be let in now. */
  readonly mayStay: (headers: IncomingHttpHeaders) => Promise<boolean>
}

/** A token that is revoked is not known within this time, and that of the list of tokens itself. */
const ASKED_EVERY_MS = 5000

/** `GET /api/fleet/v1/events`: what changes, as it changes. Server-sent events: a browser reads them by itself. */
export function registerEvents(app: FastifyInstance, { feed, clock, mayStay }: EventsDeps): void {
  app.get(
    '/api/fleet/v1/events',
    { config: { access: 'viewer', speaks: 'own', isEndless: true } },
    (request, reply) => {
      const lastEventId = request.headers['last-event-id']
      const stream = feed.listen(typeof lastEventId === 'string' ? lastEventId : undefined)
      endWhenRevoked(stream, clock, () => mayStay(request.headers))
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

/** The browser comes back then, and is told why it is not let in. */
function endWhenRevoked(stream: Readable, clock: EventsDeps['clock'], mayStay: () => Promise<boolean>): void {
  const ask = (): (() => void) =>
    clock.after(ASKED_EVERY_MS, () => {
      void mayStay()
        // Nobody was refused when it could not be asked.
        .catch(() => true)
        .then((may) => {
          if (stream.destroyed) return
          if (may) cancel = ask()
          else stream.push(null)
        })
    })
  let cancel = ask()
  stream.once('close', () => {
    cancel()
  })
}
