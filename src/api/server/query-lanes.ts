/**
 * Every request that the query worker serves passes a queue before its body is read: PromQL, what is stored and traces
 * one (`query`), all other requests of viewers another (`view`), so that a page opens while queries run. A request has
 * its place until its response has left: what slow clients do not read is bounded by the places, and a client that reads
 * nothing loses its connection.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { ownerOf } from './access.ts'
import { QueryQueue, type QueueLimits } from './query-queue.ts'
import { laneOf, type Lane } from './route-config.ts'
import { whenClosed } from './when-closed.ts'

/** How long a client may read nothing of a response. */
export const READ_WITHIN_MS = 30_000

interface LaneParts {
  readonly limits: QueueLimits
  readonly clock: Clock
  readonly metrics: OwnMetrics
}

export function installQueryLanes(app: FastifyInstance, { limits, clock, metrics }: LaneParts): void {
  const queueOf = (lane: Lane): QueryQueue =>
    new QueryQueue({
      limits,
      clock,
      onChange: (running, waiting) => {
        metrics.queryRequestsRunning.set({ lane }, running)
        metrics.queryRequestsWaiting.set({ lane }, waiting)
      },
    })
  const queues: Readonly<Record<Lane, QueryQueue>> = { query: queueOf('query'), view: queueOf('view') }
  const places = new WeakMap<FastifyRequest, Place>()
  const running = new Set<Place>()
  app.decorateRequest('left', undefined)

  app.addHook('onRequest', async (request, reply) => {
    const lane = laneOf(request.routeOptions.config)
    if (lane === undefined || request.is404) return
    const place = new Place(reply)
    request.left = place.left
    const askedMs = clock.nowMs()
    let leave: () => void
    try {
      leave = await queues[lane].enter(ownerOf(request), place.left)
    } catch (thrown) {
      if (thrown instanceof FleetError) metrics.queryRequestsRefused.inc({ lane, reason: thrown.code })
      throw thrown
    } finally {
      metrics.queryWaitSeconds.observe({ lane }, (clock.nowMs() - askedMs) / 1000)
    }
    places.set(request, place)
    running.add(place)
    place.whenOver(() => {
      running.delete(place)
      leave()
    })
  })

  let isStopping = false
  app.addHook('onSend', (request, reply, payload, done) => {
    // The stop waits for open connections, and this one would stay open for the next request.
    if (isStopping) void reply.header('connection', 'close')
    places.get(request)?.answered(clock, () => {
      metrics.slowReadersClosed.inc()
    })
    done(null, payload)
  })

  app.addHook('preClose', (done) => {
    isStopping = true
    for (const queue of Object.values(queues)) queue.stop()
    // Their clients are answered that the query was canceled; nobody waits for what would take minutes.
    for (const place of running) place.cancel()
    done()
  })
}

/** One request from its arrival until its response has left and its work has ended. */
class Place {
  readonly #controller = new AbortController()
  readonly #raw: FastifyReply['raw']
  #isAnswered = false
  #hasLeft = false
  #stopWatch: () => void = () => undefined
  #onOver: () => void = () => undefined

  constructor({ raw }: FastifyReply) {
    this.#raw = raw
    const leave = (): void => {
      this.#hasLeft = true
      this.#stopWatch()
      if (!raw.writableFinished) this.cancel()
      this.#check()
    }
    raw.once('finish', leave)
    whenClosed(raw, leave)
  }

  get left(): AbortSignal {
    return this.#controller.signal
  }

  cancel(): void {
    this.#controller.abort()
  }

  whenOver(run: () => void): void {
    this.#onOver = run
    this.#check()
  }

  /** The work has ended, and its response leaves. `onStalled`: the connection was closed. */
  answered(clock: Clock, onStalled: () => void): void {
    this.#isAnswered = true
    this.#check()
    if (!this.#hasLeft) this.#watch(clock, onStalled)
  }

  #watch(clock: Clock, onStalled: () => void): void {
    const sentBytes = (): number | undefined => this.#raw.socket?.bytesWritten
    const before = sentBytes()
    this.#stopWatch = clock.after(READ_WITHIN_MS, () => {
      if (sentBytes() !== before) this.#watch(clock, onStalled)
      else {
        onStalled()
        this.#raw.destroy()
      }
    })
  }

  #check(): void {
    if (!this.#isAnswered || !this.#hasLeft) return
    this.#onOver()
    this.#onOver = () => undefined
  }
}
