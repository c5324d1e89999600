/**
 * Requests to the metrics store: with a place among so many at one time, a time limit until the last byte, and a breaker. Answers
 * are read as they arrive. Rejects with FleetErrors as `QueryEngine` does, and with `remote_unavailable`.
 */
import type { Cancellation } from '../base/cancellation.ts'
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf } from '../base/errors.ts'
import { ownTurn, sharedTurn, Slice } from '../base/thread-slices.ts'
import { AnswerReader, type AnswerFrame, type AnswerShape } from './answer-reader.ts'
import { Breaker } from './breaker.ts'
import type { HttpAnswer, HttpCall, HttpClient } from './http.ts'
import { JsonStream, JsonStreamError } from './json-stream.ts'
import type { RemoteStoreOptions } from './options.ts'
import { Places } from './places.ts'
import type { RemoteCounters } from './counters.ts'
import { ERROR_BYTES_MAX, failureOf, NoSuchAddress } from './store-failure.ts'

/** Requests of rules and of users have places of their own. */
export type RemoteLane = 'rules' | 'requests'

export interface RemoteRequest extends Omit<HttpCall, 'body'> {
  /** Of a POST, as a form; of a GET, in the address. */
  readonly params?: URLSearchParams
  /** In place of a form. */
  readonly body?: Uint8Array
  readonly lane: RemoteLane
  /** Capped by the option. */
  readonly timeoutMs?: number | undefined
  readonly signal?: Cancellation | undefined
}

export interface RemoteClientParts {
  readonly http: HttpClient
  readonly options: RemoteStoreOptions
  /** Monotonic. */
  readonly nowMs: () => number
  readonly after: Clock['after']
  readonly counters: RemoteCounters
  /** The store answered again after it had failed. */
  readonly onReturn?: () => void
}

/** How often the signal of a caller on another thread is checked. */
const SIGNAL_EVERY_MS = 100

export class RemoteClient {
  readonly #parts: RemoteClientParts
  readonly #places: Readonly<Record<RemoteLane, Places>>
  readonly #breaker: Breaker
  /** The store in messages. */
  name: string

  constructor(parts: RemoteClientParts) {
    this.#parts = parts
    const { concurrencyMax, waitingMax, url } = parts.options
    this.#places = { rules: new Places(concurrencyMax, waitingMax), requests: new Places(concurrencyMax, waitingMax) }
    const { origin, pathname } = new URL(url)
    this.name = `the metrics store at ${origin}${pathname.replace(/\/+$/, '')}`
    this.#breaker = new Breaker(parts.nowMs, this.name)
  }

  /** Why requests fail at once; `undefined`: they are sent. */
  get fault(): string | undefined {
    return this.#breaker.fault
  }

  get running(): number {
    return this.#places.rules.taken + this.#places.requests.taken
  }

  get waiting(): number {
    return this.#places.rules.waiting + this.#places.requests.waiting
  }

  /** Reads a JSON answer; its items go to the shape. */
  read(request: RemoteRequest, shape: AnswerShape): Promise<AnswerFrame> {
    return this.stream(request, async (body) => {
      const reader = new AnswerReader(shape)
      const isLines = shape.list === 'lines'
      const stream = new JsonStream(reader, isLines ? { hasMany: true, hasBareNumbers: true } : {})
      const slice = new Slice(request.lane === 'rules' ? ownTurn : sharedTurn)
      for await (const chunk of body) {
        stream.push(chunk)
        if (slice.isOver) await slice.next(request.signal)
      }
      stream.end()
      if (!isLines && reader.frame.status !== 'success') throw new JsonStreamError('its status is not success')
      return reader.frame
    })
  }

  /** Reads the body of a successful answer with `consume`. */
  async stream<T>(request: RemoteRequest, consume: (body: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    const { nowMs, counters } = this.#parts
    const startedMs = nowMs()
    const ending = this.#ending(request)
    let outcome = 'ok'
    try {
      const give = await this.#places[request.lane].take(ending.signal)
      try {
        this.#breaker.admit()
        return await this.#judged(ending.signal, () => this.#exchange(request, ending.signal, consume))
      } finally {
        give()
      }
    } catch (thrown) {
      outcome = thrown instanceof FleetError ? thrown.code : 'bug'
      throw thrown
    } finally {
      ending.stop()
      counters.countRequest(outcome, nowMs() - startedMs)
    }
  }

  close(): void {
    this.#parts.http.close()
  }

  /** Tells the breaker how a request ended, and names the failures of the connection. */
  async #judged<T>(signal: AbortSignal, exchange: () => Promise<T>): Promise<T> {
    try {
      const result = await exchange()
      this.#succeed()
      return result
    } catch (thrown) {
      const cause: unknown = signal.aborted ? signal.reason : thrown
      if (cause instanceof FleetError) {
        if (cause.code === 'query_canceled' || cause instanceof NoSuchAddress) this.#breaker.leave()
        else if (cause.code === 'query_timeout' || cause.code === 'remote_unavailable')
          this.#breaker.fail(cause.message)
        else this.#succeed()
        throw cause
      }
      if (!(cause instanceof JsonStreamError) && !isOfConnection(cause)) {
        this.#breaker.leave()
        throw cause
      }
      const isMisshapen = cause instanceof JsonStreamError
      const reason = isMisshapen ? `its answer cannot be read: ${cause.message}` : reasonOf(cause)
      this.#breaker.fail(reason)
      throw new FleetError('remote_unavailable', `${this.name} cannot be queried: ${reason}`, {
        hint: isMisshapen
          ? 'check that store.metrics is the address of a Prometheus-compatible API, and not of a page'
          : 'check that the metrics store runs and can be reached from here',
        cause,
      })
    }
  }

  #succeed(): void {
    if (this.#breaker.succeed()) this.#parts.onReturn?.()
  }

  async #exchange<T>(
    request: RemoteRequest,
    signal: AbortSignal,
    consume: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    const { http, options } = this.#parts
    const call = callOf(request)
    const send = (headers: Readonly<Record<string, string>>): Promise<HttpAnswer> =>
      http.send({ ...call, headers: { ...headers, ...call.headers } }, signal)
    const headers = options.headers(false)
    let answer = await send(headers)
    if (answer.status === 401 || answer.status === 403) {
      const fresh = options.headers(true)
      if (JSON.stringify(fresh) !== JSON.stringify(headers)) {
        await startOf(answer.body)
        answer = await send(fresh)
      }
    }
    if (answer.status === 200) return consume(this.#counted(answer))
    throw failureOf(this.name, answer.status, await startOf(answer.body))
  }

  /** The body, counted; an answer that is too long ends with `query_limit`. */
  async *#counted({ body }: HttpAnswer): AsyncGenerator<Uint8Array> {
    const { options, counters } = this.#parts
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.length
      counters.bytesRead += chunk.length
      if (bytes > options.answerBytesMax) {
        throw new FleetError(
          'query_limit',
          `the answer of ${this.name} is longer than ${options.answerBytesMax} bytes, the value of store.metrics-answer-bytes-max`,
          { hint: 'select fewer series, a shorter range or a longer step' },
        )
      }
      yield chunk
    }
  }

  /** Ends the request when its time is over or its caller has left. */
  #ending({ timeoutMs = Infinity, signal }: RemoteRequest): { readonly signal: AbortSignal; stop(): void } {
    const { after, options } = this.#parts
    const controller = new AbortController()
    const limitMs = Math.min(timeoutMs, options.timeoutMs)
    const cancel = (): void => {
      controller.abort(new FleetError('query_canceled', `the client left before ${this.name} had answered`))
    }
    const stopTimer = after(limitMs, () => {
      controller.abort(
        new FleetError('query_timeout', `${this.name} did not answer within ${limitMs} ms`, {
          hint: 'select fewer series, a shorter range or a longer step, or check the metrics store',
        }),
      )
    })
    const stopWatch = watchSignal(signal, after, cancel)
    return {
      signal: controller.signal,
      stop: () => {
        stopTimer()
        stopWatch()
      },
    }
  }
}

function watchSignal(signal: Cancellation | undefined, after: Clock['after'], cancel: () => void): () => void {
  if (signal === undefined) return () => undefined
  if (signal.aborted) {
    cancel()
    return () => undefined
  }
  if (signal instanceof AbortSignal) {
    signal.addEventListener('abort', cancel, { once: true })
    return () => {
      signal.removeEventListener('abort', cancel)
    }
  }
  // Of a call of another thread: a flag.
  let stop: () => void = () => undefined
  const check = (): void => {
    if (signal.aborted) cancel()
    else stop = after(SIGNAL_EVERY_MS, check)
  }
  check()
  return () => {
    stop()
  }
}

function callOf({ path, method, params, body, contentType, headers }: RemoteRequest): HttpCall {
  const extra = headers === undefined ? {} : { headers }
  if (body !== undefined)
    return { path, method, body, contentType: contentType ?? 'application/octet-stream', ...extra }
  const form = params?.toString() ?? ''
  if (method === 'GET') return { path: form === '' ? path : `${path}?${form}`, method, ...extra }
  return { path, method, body: form, contentType: 'application/x-www-form-urlencoded', ...extra }
}

async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= ERROR_BYTES_MAX) break
  }
  return Buffer.concat(chunks).subarray(0, ERROR_BYTES_MAX).toString('utf8')
}

/** Failures of sockets, TLS and decompression have a code; bugs have none. */
function isOfConnection(thrown: unknown): boolean {
  return thrown instanceof AggregateError || (thrown instanceof Error && 'code' in thrown)
}

function reasonOf(thrown: unknown): string {
  // A connection that fails at several addresses has one error per address.
  const causes = thrown instanceof AggregateError ? thrown.errors.map((one: unknown) => messageOf(one)) : []
  return causes.length > 0 ? causes.join('; ') : messageOf(thrown)
}
