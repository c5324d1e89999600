import type { ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { SharedBudget, type Owner } from '../../base/shared-budget.ts'
import { kindOf, type Principal } from '../../model/token.ts'
import { whenClosed } from './when-closed.ts'

/**
 * Admission of requests with a body, before the body is read. A request holds bytes of one budget, which all senders share
 * (base/shared-budget.ts), from its headers to its answer: the declared length or, without one, what arrived; and what
 * a body grows by when it is decompressed. A sender is the cluster of a token or certificate, a token without one, a person, or
 * an address.
 */

const OWNER_KINDS = ['cluster', 'token', 'person', 'address'] as const
type OwnerKind = (typeof OWNER_KINDS)[number]

/** What a request takes beside its body. The budget so limits requests, too. */
const REQUEST_BYTES = 16 * 1024
/** How often slow bodies are looked for. */
const CHECK_EVERY_MS = 1000
/** A body may take this long, and a second for each of these bytes that arrived. */
const ARRIVES_WITHIN_MS = 10_000
const ARRIVING_BYTES_PER_SECOND_MIN = 32 * 1024
/** The unread rest of a longer body is not awaited: the connection is closed. */
const UNREAD_BYTES_MAX = 256 * 1024

const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'

interface BodyAdmissionOptions {
  readonly bytesMax: number
  /** Of one body; a longer one is refused by its route. */
  readonly bodyBytesMax: number
  readonly clock: Clock
  readonly metrics: OwnMetrics
}

export class BodyAdmission {
  readonly #options: BodyAdmissionOptions
  readonly #budget: SharedBudget<OwnerKind>
  readonly #arriving = new Set<BodyLease>()
  #isChecking = false

  constructor(options: BodyAdmissionOptions) {
    this.#options = options
    this.#budget = new SharedBudget(options.bytesMax, OWNER_KINDS)
    const { requestBytes, requestBytesMax } = options.metrics
    requestBytesMax.set(options.bytesMax)
    // Called when metrics are read; with each request it would cost more than all else here.
    Object.assign(requestBytes, {
      collect: () => {
        requestBytes.set(this.#budget.heldBytes)
      },
    })
  }

  /**
   * HOT: once per request. Returns a lease, which must be released, or the refusal when there is no room.
   * @param declaredBytes 0 when the length is not declared: then the lease grows as bytes arrive
   * @param isDroppedOn429 the sender drops data that is answered 429, and repeats it after 503
   */
  admit(
    response: ServerResponse,
    principal: Principal | undefined,
    declaredBytes: number,
    isDroppedOn429: boolean,
  ): BodyLease | FleetError {
    const lease = new BodyLease(this, this.#ownerOf(response, principal), response, isDroppedOn429)
    const refusal = this.take(lease, REQUEST_BYTES + Math.min(declaredBytes, this.#options.bodyBytesMax))
    if (refusal !== undefined) {
      if (declaredBytes > UNREAD_BYTES_MAX) response.setHeader('connection', 'close')
      return refusal
    }
    this.#arriving.add(lease)
    if (!this.#isChecking) this.#planCheck()
    return lease
  }

  /** For `BodyLease`. */
  take(lease: BodyLease, bytes: number): FleetError | undefined {
    const { owner } = lease
    const reason = this.#budget.take(owner, bytes, lease.bytes)
    if (reason !== undefined) return this.#refusal(lease, reason)
    lease.bytes += bytes
    return undefined
  }

  /** For `BodyLease`. */
  arrived(lease: BodyLease): void {
    this.#arriving.delete(lease)
  }

  /** For `BodyLease`. */
  give({ owner, bytes }: BodyLease): void {
    this.#budget.give(owner, bytes)
  }

  #ownerOf({ req }: ServerResponse, principal: Principal | undefined): Owner<OwnerKind> {
    if (principal === undefined) return this.#budget.ownerOf('address', req.socket.remoteAddress ?? '')
    const { name, cluster } = principal
    if (cluster !== undefined) return this.#budget.ownerOf('cluster', cluster)
    return this.#budget.ownerOf(kindOf(principal) === 'person' ? 'person' : 'token', name)
  }

  #refusal({ owner, isDroppedOn429 }: BodyLease, reason: 'share' | 'total'): FleetError {
    this.#options.metrics.requestsRefused.inc({ reason, owner: owner.kind })
    const limit = `web.request-bytes-max, ${this.#budget.bytesMax}`
    if (reason === 'total') return new FleetError('overloaded', `requests in flight hold all of ${limit} bytes`)
    const message = `requests in flight of this ${owner.kind} hold its share of ${limit} bytes`
    return new FleetError(isDroppedOn429 ? 'overloaded' : 'too_many_requests', message)
  }

  #planCheck(): void {
    this.#isChecking = true
    this.#options.clock.after(CHECK_EVERY_MS, () => {
      const { clock, metrics } = this.#options
      const nowMs = clock.nowMs()
      for (const lease of this.#arriving) {
        if (!lease.isTooSlow(nowMs)) continue
        metrics.requestsRefused.inc({ reason: 'slow', owner: lease.owner.kind })
        lease.abandon()
      }
      this.#isChecking = this.#arriving.size > 0
      if (this.#isChecking) this.#planCheck()
    })
  }
}

/** What one request holds of the budget. */
export class BodyLease {
  readonly owner: Owner<OwnerKind>
  readonly isDroppedOn429: boolean
  bytes = 0
  #isReleased = false
  readonly #admission: BodyAdmission
  readonly #response: ServerResponse
  /** At the first check. */
  #checkedMs = NaN
  #checkedBytes = 0

  constructor(admission: BodyAdmission, owner: Owner<OwnerKind>, response: ServerResponse, isDroppedOn429: boolean) {
    this.#admission = admission
    this.owner = owner
    this.#response = response
    this.isDroppedOn429 = isDroppedOn429
  }

  /** Takes bytes that the body has beyond its declared length. Throws FleetError when there is no room. */
  grow(bytes: number): void {
    if (this.#isReleased) throw new FleetError('overloaded', 'the sender disconnected before its body was read')
    const refusal = this.#admission.take(this, bytes)
    if (refusal !== undefined) throw refusal
  }

  /** The whole body has arrived. */
  arrived(): void {
    this.#admission.arrived(this)
  }

  /** The request is answered, or its connection has ended. May be called again. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#admission.arrived(this)
    this.#admission.give(this)
  }

  /** Calls `listener` when the connection ends before the answer. Returns how to cancel that. */
  whenGone(listener: () => void): () => void {
    whenClosed(this.#response, listener)
    return () => {
      this.#response.off('close', listener)
    }
  }

  isTooSlow(nowMs: number): boolean {
    const { bytesRead } = this.#response.req.socket
    if (Number.isNaN(this.#checkedMs)) {
      this.#checkedMs = nowMs
      this.#checkedBytes = bytesRead
    }
    const arrivedMs = ((bytesRead - this.#checkedBytes) / ARRIVING_BYTES_PER_SECOND_MIN) * 1000
    return nowMs - this.#checkedMs > ARRIVES_WITHIN_MS + arrivedMs
  }

  /** Ends the connection; its end releases the lease. */
  abandon(): void {
    const { socket } = this.#response.req
    if (!this.#response.headersSent) socket.write(TOO_SLOW)
    socket.destroy()
  }
}

const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that may have a body. */
    bodyLease: BodyLease | undefined
  }
}

/** For requests that Fastify handles; after access control. */
export function installBodyAdmission(app: FastifyInstance, admission: BodyAdmission): void {
  app.decorateRequest('bodyLease', undefined)
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (WITHOUT_BODY.has(request.method)) {
      done(null, payload)
      return
    }
    const isChunked = request.headers['transfer-encoding'] !== undefined
    const declaredBytes = isChunked ? 0 : Number(request.headers['content-length'] ?? 0)
    const isDroppedOn429 = request.routeOptions.config.isDroppedOn429 === true
    const lease = admission.admit(reply.raw, request.principal, declaredBytes, isDroppedOn429)
    if (lease instanceof FleetError) {
      if (isChunked) void reply.header('connection', 'close')
      done(lease)
      return
    }
    request.bodyLease = lease
    const body = isChunked ? payload.pipe(growing(lease, reply)) : payload
    whenClosed(reply.raw, () => {
      lease.release()
      // Whatever of it was not read: the connection may be used again.
      if (isChunked) payload.unpipe().resume()
    })
    done(null, body)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    request.bodyLease?.arrived()
    done()
  })
}

/** A body on its way, of which each byte is taken from the budget. */
function growing(lease: BodyLease, reply: FastifyReply): Transform {
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        lease.grow(chunk.length)
        done(null, chunk)
      } catch (thrown) {
        void reply.header('connection', 'close')
        done(thrown as Error)
      }
    },
  })
  // A route may answer without reading it.
  return body.on('error', () => undefined)
}
