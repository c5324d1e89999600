import { request as httpRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as HttpsAgent } from 'node:https'
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf, type ErrorCode } from '../base/errors.ts'
import { encodeWriteRequest } from '../wire/remote-write-encode.ts'
import { encodeSnappy } from '../wire/snappy.ts'
import type { SampleRun } from './sim-prometheus.ts'

/**
 * Remote write 1.0 as a Prometheus sends it: at most 2000 samples a request over kept-alive connections; what the server
 * cannot take now (429, 5xx, no connection) is repeated with growing pauses for as long as it takes, what it will never
 * take (any other 4xx) is dropped and counted.
 */
export interface Sender {
  /**
   * Sends runs of one Prometheus, in order, one request after the other; resolves when each request is answered for good.
   * Rejects with a FleetError when no write can ever succeed there (wrong address or token), and when it was closed.
   */
  send(runs: readonly SampleRun[]): Promise<void>
  readonly counts: Readonly<SenderCounts>
  /** Gives up what is waiting, closes the connections. */
  close(): void
}

export interface SenderCounts {
  requests: number
  retries: number
  /** In requests the server took. */
  samplesAcked: number
  /** In requests the server refused for good. */
  samplesRefused: number
  /** What the server said to the last of those. */
  lastRefusal: string
}

export interface SenderOptions {
  /** The server's root, `http://127.0.0.1:9428`; `/api/v1/write` is added when the path is empty. */
  readonly url: string
  readonly token?: string | undefined
  /** Waits between repetitions; the sender reads no other clock. */
  readonly clock: Clock
  /** Open connections at most. */
  readonly connections?: number
}

export const SAMPLES_PER_REQUEST_MAX = 2000
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

export function createSender(options: SenderOptions): Sender {
  const url = writeUrlOf(options.url)
  const post = createPost(url, options.token, options.connections ?? CONNECTIONS_MAX)
  const counts: SenderCounts = { requests: 0, retries: 0, samplesAcked: 0, samplesRefused: 0, lastRefusal: '' }
  const closing = new AbortController()

  async function sendBody(body: Uint8Array, samples: number): Promise<void> {
    for (let backoffMs = BACKOFF_MIN_MS; ; backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS)) {
      if (closing.signal.aborted) throw closed()
      counts.requests++
      const answer = await post.send(body)
      if (answer.status >= 200 && answer.status < 300) {
        counts.samplesAcked += samples
        return
      }
      if (!isRetryable(answer.status)) {
        counts.samplesRefused += samples
        counts.lastRefusal = `${answer.status} ${answer.text}`
        throwIfHopeless(url, answer)
        return
      }
      counts.retries++
      await pause(options.clock, Math.max(backoffMs, answer.retryAfterMs ?? 0), closing.signal)
    }
  }

  return {
    counts,
    async send(runs) {
      for (const batch of batchesOf(runs)) {
        await sendBody(encodeSnappy(encodeWriteRequest(batch.series)), batch.samples)
      }
    },
    close() {
      closing.abort()
      post.close()
    },
  }
}

interface Batch {
  readonly series: { labels: Uint8Array; samples: SampleRun['samples'] }[]
  samples: number
}

/** Cuts runs into requests; a run stays whole unless it alone is too long. */
function batchesOf(runs: readonly SampleRun[]): readonly Batch[] {
  const batches: Batch[] = []
  let batch: Batch | undefined
  for (const run of runs) {
    for (let at = 0; at < run.samples.length; at += SAMPLES_PER_REQUEST_MAX) {
      const samples = run.samples.slice(at, at + SAMPLES_PER_REQUEST_MAX)
      if (batch === undefined || batch.samples + samples.length > SAMPLES_PER_REQUEST_MAX) {
        batch = { series: [], samples: 0 }
        batches.push(batch)
      }
      batch.series.push({ labels: run.labelBytes, samples })
      batch.samples += samples.length
    }
  }
  return batches
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

function throwIfHopeless(url: URL, answer: Answer): void {
  const code = HOPELESS[answer.status]
  if (code === undefined) return
  throw new FleetError(code, `sending samples to ${url.href}: got ${answer.status} ${answer.text}`, {
    hint: 'check the address, and that the token may ingest for every cluster',
  })
}

function closed(): FleetError {
  return new FleetError('not_ready', 'sending samples: stopped before everything was sent')
}

function writeUrlOf(text: string): URL {
  const url = new URL(text)
  if (url.pathname === '/') url.pathname = '/api/v1/write'
  return url
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
  token: string | undefined,
  connections: number,
): { send(body: Uint8Array): Promise<Answer>; close(): void } {
  const isTls = url.protocol === 'https:'
  const agentOptions = { keepAlive: true, maxSockets: connections }
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  const headers = {
    'Content-Encoding': 'snappy',
    'Content-Type': 'application/x-protobuf',
    'X-Prometheus-Remote-Write-Version': '0.1.0',
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
  let text = ''
  response.setEncoding('utf8')
  // Read to the end, so that the connection can be used again; keep what a person would read.
  for await (const part of response) if (text.length < ANSWER_BYTES_MAX) text += String(part)
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN)
  return {
    status: response.statusCode ?? 0,
    text: text.slice(0, ANSWER_BYTES_MAX).trim(),
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined,
  }
}
