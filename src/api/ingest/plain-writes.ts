import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { WriteOutcome } from '../../ingest/write-outcome.ts'
import type { Entry } from '../server/access.ts'
import { RETRY_AFTER_SECONDS, asFailure, logFailure, textOf } from '../server/error-handler.ts'
import { protocolOf, type Write } from './remote-write.ts'
import { FORMATS, counted } from './write-metrics.ts'
import { readBody } from '../server/short-way.ts'
import type { ShortWay } from '../server/short-way.ts'

/**
 * The short way of a remote write 1.0 as stock senders send it: a fleet sends tens of thousands of small ones a minute.
 * Another route, a page, a body without a length, a token that may not, a server that is not ready: Fastify's.
 */
interface PlainWritesParts {
  readonly write: Write
  readonly bodyBytesMax: number
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly readiness: () => string
  /** See `plainEntry`. */
  readonly enter: (headers: IncomingMessage['headers']) => Promise<Entry | undefined>
}

const ROUTE = '/api/v1/write'
const TEXT = 'text/plain; charset=utf-8'

export function plainWrites(parts: PlainWritesParts): ShortWay {
  return (request, response, goOn) => {
    if (!isPlainWrite(request, parts)) return false
    void answer(request, response, goOn, parts)
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
  goOn: () => void,
  parts: PlainWritesParts,
): Promise<void> {
  const startMs = performance.now()
  try {
    const entry = await parts.enter(request.headers)
    if (entry === undefined) {
      goOn()
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
