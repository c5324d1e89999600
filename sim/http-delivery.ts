import { request as httpRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https'
import type { Clock } from '../src/base/clock.ts'
import { FleetError, messageOf, type ErrorCode } from '../src/base/errors.ts'
import { statusMessageOf } from '../src/wire/otlp/answer.ts'

/**
 * Posts bodies to one address over kept-alive connections, as senders of telemetry do: what the server cannot take now
 * (429, 5xx, no connection) is repeated with growing pauses for as long as it takes, what it will never take (any other
 * 4xx) is dropped and counted.
 */
export interface Delivery {
  /**
   * Resolves when the body is answered for good. Rejects with a FleetError when nothing can ever succeed there (wrong
   * address or token), and when it was closed.
   *
   * @param items in the body, for the counts
   */
  deliver(body: Uint8Array, items: number): Promise<void>
  readonly counts: Readonly<DeliveryCounts>
  /** Gives up what is waiting, closes the connections. */
  close(): void
}

export interface DeliveryCounts {
  requests: number
  retries: number
  /** In requests the server took. */
  acked: number
  /** In requests the server refused for good. */
  refused: number
  /** What the server said to the last of those. */
  lastRefusal: string
}

export interface DeliveryOptions {
  readonly url: URL
  /** What the bodies hold, for messages: `samples`. */
  readonly what: string
  readonly headers: Readonly<Record<string, string>>
  readonly token: string | undefined
  /** Waits between repetitions; nothing here reads another clock. */
  readonly clock: Clock
  /** Open connections at most; 8 when absent. */
  readonly connections: number | undefined
}

const CONNECTIONS_MAX = 8
const BACKOFF_MIN_MS = 30
const BACKOFF_MAX_MS = 5000
const ANSWER_TIMEOUT_MS = 30_000
const ANSWER_BYTES_MAX = 1024

interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfterMs: number | undefined
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { url, what, clock } = options
  const post = createPost(url, options.headers, options.token, options.connections ?? CONNECTIONS_MAX)
  const counts: DeliveryCounts = { requests: 0, retries: 0, acked: 0, refused: 0, lastRefusal: '' }
  const closing = new AbortController()
  return {
    counts,
    async deliver(body, items) {
      for (let backoffMs = BACKOFF_MIN_MS; ; backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS)) {
        if (closing.signal.aborted)
          throw new FleetError('not_ready', `sending ${what}: stopped before everything was sent`)
        counts.requests++
        const answer = await post.send(body)
        if (answer.status >= 200 && answer.status < 300) {
          counts.acked += items
          return
        }
        if (!isRetryable(answer.status)) {
          counts.refused += items
          counts.lastRefusal = `${answer.status} ${answer.text}`
          throwIfHopeless(url, what, answer)
          return
        }
        counts.retries++
        await pause(clock, Math.max(backoffMs, answer.retryAfterMs ?? 0), closing.signal)
      }
    },
    close() {
      closing.abort()
      post.close()
    },
  }
}

function isRetryable(status: number): boolean {
  return status === 0 || status === 429 || status >= 500
}

/** Answers that every following request would get too. */
const HOPELESS: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_found',
  415: 'unsupported_media',
}

function throwIfHopeless(url: URL, what: string, answer: Answer): void {
  const code = HOPELESS[answer.status]
  if (code === undefined) return
  throw new FleetError(code, `sending ${what} to ${url.href}: got ${answer.status} ${answer.text}`, {
    hint: 'check the address, and that the token may ingest for every cluster',
  })
}

/** Resolves after `delayMs`, or at once when `signal` fires; the caller looks at the signal. */
function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(delayMs, done)
    if (signal.aborted) done()
    else signal.addEventListener('abort', done)
  })
}

/** One POST on a kept-alive connection. A connection that fails is an answer too: status 0. */
function createPost(
  url: URL,
  own: Readonly<Record<string, string>>,
  token: string | undefined,
  connections: number,
): { send(body: Uint8Array): Promise<Answer>; close(): void } {
  const isTls = url.protocol === 'https:'
  const agentOptions = { keepAlive: true, maxSockets: connections }
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  const headers = {
    ...own,
    'User-Agent': 'daytwo-simulator',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  }
  const start = isTls ? httpsRequest : httpRequest
  return {
    send: (body) =>
      new Promise((resolve) => {
        const failed = (err: unknown): void => {
          resolve({ status: 0, text: messageOf(err), retryAfterMs: undefined })
        }
        const request = start(
          url,
          {
            method: 'POST',
            agent,
            timeout: ANSWER_TIMEOUT_MS,
            headers: { ...headers, 'Content-Length': body.byteLength },
          },
          (response) => {
            readAnswer(response).then(resolve, failed)
          },
        )
        request.on('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)))
        request.on('error', failed)
        request.end(body)
      }),
    close: () => {
      agent.destroy()
    },
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = []
  let bytes = 0
  // Read to the end, so that the connection can be used again; keep what a person would read.
  for await (const part of response as AsyncIterable<Buffer>) {
    if (bytes < ANSWER_BYTES_MAX) parts.push(part)
    bytes += part.length
  }
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN)
  return {
    status: response.statusCode ?? 0,
    text: textOf(Buffer.concat(parts), response.headers['content-type']).slice(0, ANSWER_BYTES_MAX).trim(),
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined,
  }
}

/** A receiver of OTLP answers protobuf with protobuf: what it says stands in a message. */
function textOf(body: Buffer, type: string | undefined): string {
  const said = type?.startsWith('application/x-protobuf') === true ? statusMessageOf(body) : undefined
  return said ?? body.toString('utf8')
}
