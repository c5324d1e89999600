import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { WriteOutcome } from '../../ingest/write-outcome.ts'
import type { tryAccess } from '../server/access.ts'
import { RETRY_AFTER_SECONDS, asFailure, logFailure, textOf } from '../server/error-handler.ts'
import { protocolOf, type Write } from './remote-write.ts'
import { FORMATS, countedWrite } from './write-metrics.ts'
import { readBody, type FastPath } from '../server/fast-path.ts'

/**
 * The fast path of a remote write 1.0 as stock senders send it: a fleet sends tens of thousands of small ones a minute.
 * Other routes, requests of pages, bodies without a length, refused tokens and a server that is not ready go to Fastify.
 */
interface PlainWritesParts {
  readonly write: Write
  readonly bodyBytesMax: number
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly readiness: () => string
  readonly tryAccess: ReturnType<typeof tryAccess>
}

const ROUTE = '/api/v1/write'
const TEXT = 'text/plain; charset=utf-8'

export function plainWrites(parts: PlainWritesParts): FastPath {
  return (request, response, fallBack) => {
    if (!isPlainWrite(request, parts)) return false
    void answer(request, response, fallBack, parts)
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

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  fallBack: () => void,
  parts: PlainWritesParts,
): Promise<void> {
  const startMs = performance.now()
  try {
    const granted = await parts.tryAccess(request.headers)
    if (granted === undefined) {
      fallBack()
      return
    }
    const body = await readBody(request)
    if (body === undefined) return // the sender disconnected
    const outcome = await countedWrite(
      parts.metrics,
      FORMATS['1.0'],
      parts.write(body, granted.principal?.cluster, '1.0'),
    )
    // The process is about to end: senders should connect to its successor.
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
