import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { ChangeEvent } from '../../contract/events.ts'
import type { EventFeed } from './event-feed.ts'
import { ownRoute } from './own-route.ts'

interface EventsDeps {
  readonly feed: Pick<EventFeed, 'listen' | 'stop'>
  readonly clock: Pick<Clock, 'after'>
  /** Whether the listener's token or session is still valid. */
  readonly isStillAllowed: (request: IncomingMessage) => Promise<boolean>
}

/** A revoked token ends the stream within this time plus the refresh time of the token list. */
const RECHECK_EVERY_MS = 5000

/** `GET /api/fleet/v1/events`: change events as server-sent events, which browsers support natively. */
export function registerEvents(app: FastifyInstance, { feed, clock, isStillAllowed }: EventsDeps): void {
  ownRoute(app, 'GET /api/fleet/v1/events', {
    // Changes of any cluster: pages of a scope poll.
    scope: 'fleet',
    summary: 'Server-sent events with the topics that changed, without the data. `Last-Event-ID` resumes after a gap.',
    answer: ChangeEvent,
    mediaType: 'text/event-stream',
    handler: ({ request, reply }) => {
      const lastEventId = request.headers['last-event-id']
      const stream = feed.listen(typeof lastEventId === 'string' ? lastEventId : undefined)
      endWhenRevoked(stream, clock, () => isStillAllowed(request.raw))
      return (
        reply
          .header('content-type', 'text/event-stream; charset=utf-8')
          .header('cache-control', 'no-store')
          // Keeps a proxy from buffering this endless response.
          .header('x-accel-buffering', 'no')
          // The connection is not reused, so a stopping server does not wait for it.
          .header('connection', 'close')
          .send(stream)
      )
    },
  })
  // Before the server waits for open requests, of which these would never end.
  app.addHook('preClose', (done) => {
    feed.stop()
    done()
  })
}

/** The browser then reconnects and receives the reason. */
function endWhenRevoked(stream: Readable, clock: EventsDeps['clock'], isStillAllowed: () => Promise<boolean>): void {
  const recheck = (): (() => void) =>
    clock.after(RECHECK_EVERY_MS, () => {
      void isStillAllowed()
        // A failed check refuses nobody.
        .catch(() => true)
        .then((isAllowed) => {
          if (stream.destroyed) return
          if (isAllowed) cancel = recheck()
          else stream.push(null)
        })
    })
  let cancel = recheck()
  stream.once('close', () => {
    cancel()
  })
}
