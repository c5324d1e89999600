import type { IncomingMessage, ServerResponse } from 'node:http'
import { FleetError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { WriteOutcome } from '../../ingest/write-outcome.ts'
import type { Granted, tryAccess } from '../server/access.ts'
import type { BodyAdmission, BodyLease } from '../server/body-admission.ts'
import { RETRY_AFTER_SECONDS, asFailure, hasRetryAfter, logFailure } from '../server/error-handler.ts'
import { textOf } from '../server/plain-page.ts'
import { protocolOf, type Write } from './remote-write.ts'
import { WriteTally } from './write-metrics.ts'
import { readBody, type FastPath } from '../server/fast-path.ts'

/**
 * The fast path of a remote write 1.0 as stock senders send it: a fleet sends tens of thousands of small ones a minute.
 * Other routes, requests of pages, bodies without a length, refused tokens and a server that is not ready go to Fastify.
 */
interface PlainWritesParts {
  readonly write: Write
  readonly admission: BodyAdmission
  readonly bodyBytesMax: number
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly readiness: () => string
  readonly tryAccess: ReturnType<typeof tryAccess>
}

const ROUTE = '/api/v1/write'
const TEXT = 'text/plain; charset=utf-8'

export function plainWrites(parts: PlainWritesParts): FastPath {
  const counts = new WriteTally(parts.metrics, ROUTE)
  return (request, response, fallBack) => {
    if (!isPlainWrite(request, parts)) return false
    const exchange = new Exchange(request, response, parts, counts)
    const granted = parts.tryAccess(request)
    if (!(granted instanceof Promise)) {
      if (granted === undefined) return false
      exchange.read(granted)
      return true
    }
    granted.then(
      (found) => {
        if (found === undefined) fallBack()
        else exchange.read(found)
      },
      (thrown: unknown) => {
        exchange.fail(thrown)
      },
    )
    return true
  }
}

/** HOT: once per request. */
function isPlainWrite(request: IncomingMessage, { bodyBytesMax, readiness }: PlainWritesParts): boolean {
  if (request.url !== ROUTE || request.method !== 'POST' || readiness() !== 'ready') return false
  const { headers } = request
  return (
    headers['content-encoding'] === 'snappy' &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length']) <= bodyBytesMax &&
    protocolOf(headers['content-type']) === '1.0'
  )
}

/** One request and its response. Callbacks in place of async functions: their promises cost more than all they do. */
class Exchange {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #parts: PlainWritesParts
  readonly #counts: WriteTally
  readonly #startMs = performance.now()
  #lease: BodyLease | undefined

  constructor(request: IncomingMessage, response: ServerResponse, parts: PlainWritesParts, counts: WriteTally) {
    this.#request = request
    this.#response = response
    this.#parts = parts
    this.#counts = counts
  }

  read({ principal }: Granted): void {
    // Its sender left while its token was checked: nothing would end the lease.
    if (this.#response.closed) return
    const { admission, write } = this.#parts
    const declaredBytes = Number(this.#request.headers['content-length'])
    const lease = admission.admit(this.#response, principal, declaredBytes, true)
    if (lease instanceof FleetError) {
      this.fail(lease)
      return
    }
    this.#lease = lease
    const read = (body: readonly Uint8Array[]): void => {
      lease.arrived()
      write(body, principal?.cluster, '1.0', lease).then(this.#succeed, (thrown: unknown) => {
        this.#counts.failed()
        this.fail(thrown)
      })
    }
    readBody(this.#request, read, () => {
      lease.release()
    })
  }

  readonly #succeed = (outcome: WriteOutcome): void => {
    this.#lease?.release()
    this.#counts.written(outcome)
    try {
      // The process is about to end: senders should connect to its successor.
      if (this.#parts.readiness() !== 'ready') this.#response.setHeader('connection', 'close')
      sendOutcome(this.#response, outcome)
      this.#answered()
    } catch (thrown) {
      // Without it a response that cannot be written would be an unhandled rejection, which ends the process.
      this.fail(thrown)
    }
  }

  fail(thrown: unknown): void {
    this.#lease?.release()
    const failure = asFailure(thrown)
    logFailure(this.#parts.log, ROUTE, thrown, failure)
    if (hasRetryAfter(failure.status)) this.#response.setHeader('retry-after', RETRY_AFTER_SECONDS)
    sendText(this.#response, failure.status, textOf(failure))
    this.#answered()
  }

  #answered(): void {
    this.#counts.answered(this.#response.statusCode, (performance.now() - this.#startMs) / 1000)
  }
}

function sendOutcome(response: ServerResponse, { status, message }: WriteOutcome): void {
  if (status === 400) {
    sendText(response, status, message)
    return
  }
  // As in remote-write.ts: a 204 has no body.
  if (message !== '') response.setHeader('x-daytwo-refused', encodeURI(message))
  response.writeHead(status)
  response.end()
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`)
  response.writeHead(status, { 'content-type': TEXT, 'content-length': body.length })
  response.end(body)
}
