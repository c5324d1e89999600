/**
 * The HTTP server under Fastify, which answers the one hot request itself: a remote write 1.0 as stock senders send it.
 * A fleet sends tens of thousands of small ones a minute, and hooks, headers for browsers and a copy of the body were
 * most of what they cost. Everything that is in any way unusual (another route, a page, a body without a length, a
 * token that may not, a server that is not ready) goes to Fastify, where the same route says what is wrong with it.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { WriteOutcome } from '../ingest/write-outcome.ts'
import type { Entry } from './access.ts'
import { RETRY_AFTER_SECONDS, asFailure, logFailure, textOf } from './error-handler.ts'
import { FORMATS, counted, protocolOf } from './remote-write.ts'
import type { Write } from './remote-write.ts'

export interface WriteServerParts {
  readonly write: Write
  readonly bodyBytesMax: number
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly readiness: () => string
  /** See `plainEntry`. */
  readonly enter: (headers: IncomingMessage['headers']) => Promise<Entry | undefined>
  readonly keepAliveMs: number
  readonly requestArrivesMs: number
}

const ROUTE = '/api/v1/write'
const TEXT = 'text/plain; charset=utf-8'

/** @param handler Fastify's own, for everything else */
export function createWriteServer(handler: RequestListener, parts: WriteServerParts): Server {
  const server = createServer((request, response) => {
    if (isPlainWrite(request, parts)) void answer(request, response, handler, parts)
    else handler(request, response)
  })
  server.keepAliveTimeout = parts.keepAliveMs
  server.requestTimeout = parts.requestArrivesMs
  return server
}

/** HOT: once per request. */
function isPlainWrite(request: IncomingMessage, { bodyBytesMax, readiness }: WriteServerParts): boolean {
  if (request.url !== ROUTE || request.method !== 'POST' || readiness() !== 'ready') return false
  const { headers } = request
  return (
    headers['content-encoding'] === 'snappy' &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length']) <= bodyBytesMax &&
    protocolOf(headers['content-type']) === '1.0'
  )
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handler: RequestListener,
  parts: WriteServerParts,
): Promise<void> {
  const startMs = performance.now()
  try {
    const entry = await parts.enter(request.headers)
    if (entry === undefined) {
      handler(request, response)
      return
    }
    const body = await readBody(request)
    if (body === undefined) return // the sender went away in the middle: there is nobody to answer
    const outcome = await counted(parts.metrics, FORMATS['1.0'], parts.write(body, entry.principal?.cluster, '1.0'))
    // The process is about to end: senders should connect to the one after it.
    if (parts.readiness() !== 'ready') response.setHeader('connection', 'close')
    sendOutcome(response, outcome)
  } catch (thrown) {
    const failure = asFailure(thrown)
    logFailure(parts.log, ROUTE, thrown, failure)
    if (failure.status === 503) response.setHeader('retry-after', RETRY_AFTER_SECONDS)
    sendText(response, failure.status, textOf(failure))
  }
  const { metrics } = parts
  metrics.httpRequests.inc({ route: ROUTE, method: 'POST', status: String(response.statusCode) })
  metrics.httpSeconds.observe({ route: ROUTE }, (performance.now() - startMs) / 1000)
}

function sendOutcome(response: ServerResponse, { status, message }: WriteOutcome): void {
  if (status === 400) {
    sendText(response, status, message)
    return
  }
  // A 204 has no body, and what was not kept is told all the same. Label values may hold what headers may not.
  if (message !== '') response.setHeader('x-daytwo-refused', encodeURI(message))
  response.writeHead(status)
  response.end()
}

function sendText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`)
  response.writeHead(status, { 'content-type': TEXT, 'content-length': body.length })
  response.end(body)
}

/** The whole body, in the pieces in which it arrived; `undefined` when the connection ended before. */
function readBody(request: IncomingMessage): Promise<readonly Uint8Array[] | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
    })
    request.on('end', () => {
      resolve(chunks)
    })
    request.on('close', () => {
      resolve(undefined)
    })
    request.on('error', () => {
      resolve(undefined)
    })
  })
}
