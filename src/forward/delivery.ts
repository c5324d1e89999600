import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { encodeSnappy } from '../wire/snappy.ts'
import { pauseMs } from './backoff.ts'
import type { ForwardOptions } from './options.ts'
import { probe, readMetrics, WRITE_HEADERS } from './probe.ts'
import { answerOf, RETRY_CAUSES, type RemoteAnswer, type RetryCause } from './remote-answer.ts'
import { startSecondsOf, type RemoteFacts } from './remote-facts.ts'
import type { RemoteHttp } from './remote-http.ts'

/** What the remote side refuses for good. */
export type Refusal = Extract<RemoteAnswer, { kind: 'refused' }>

/** Encodes a request, not compressed, as the remote side accepts it. */
export type Encode = (facts: RemoteFacts) => { readonly protocol: '1.0' | '2.0'; readonly body: Uint8Array }

/**
 * Sends requests until each is accepted or refused: temporary failures are retried without end, because the buffer keeps the
 * samples. Knows the remote side, and finds out what it is before anything is sent.
 */
export class Delivery {
  readonly retries = Object.fromEntries(RETRY_CAUSES.map((cause) => [cause, 0])) as Record<RetryCause, number>
  requests = 0
  bytes = 0
  lastError: { readonly atMs: number; readonly text: string } | undefined
  /** A request had no answer since the start time of the remote side was last compared. */
  isSuspect = false
  facts: RemoteFacts | undefined
  readonly #parts: DeliveryParts
  #isV2Refused = false
  #failing = 0
  #probing: Promise<void> | undefined
  #isStopped = false
  readonly #wakes = new Set<() => void>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** Requests that are being retried. */
  get isFailing(): boolean {
    return this.#failing > 0
  }

  /** Resolves when the remote side is known; it must be reachable for that. Rejects with `Stopped`. */
  async ready(): Promise<RemoteFacts> {
    while (this.facts === undefined) await (this.#probing ??= this.#probe().finally(() => (this.#probing = undefined)))
    return this.facts
  }

  /**
   * Sends until it is accepted; the refusal when it is refused. Rejects with `Stopped`.
   * @param onUnanswered called when a request had no answer: the remote side may have stored it
   */
  async send(encode: Encode, onUnanswered: () => void = () => undefined): Promise<Refusal | undefined> {
    let sent: { readonly protocol: '1.0' | '2.0'; readonly body: Uint8Array } | undefined
    return this.#retrying(async () => {
      const facts = await this.ready()
      if (sent === undefined) {
        const { protocol, body } = encode(facts)
        sent = { protocol, body: encodeSnappy(body) }
      }
      this.requests++
      this.bytes += sent.body.length
      const got = await this.#parts.http.post(this.#parts.options.writeUrl, sent.body, WRITE_HEADERS[sent.protocol])
      if ('failure' in got) {
        onUnanswered()
        const cause = got.isTimeout ? 'timeout' : 'connection'
        return { kind: 'retry', cause, text: got.failure, isConnection: true }
      }
      const answer = answerOf(got)
      if (answer.kind !== 'protocol') return answer
      if (sent.protocol === '1.0') return { kind: 'retry', cause: 'unexpected', text: 'HTTP 415', isConnection: false }
      this.#isV2Refused = true
      this.facts = { ...facts, protocol: '1.0' }
      sent = undefined
      return answer
    })
  }

  /** The start time of the remote process in seconds; `undefined`: not known. Throws nothing. */
  async remoteStart(): Promise<number | undefined> {
    const metrics = await readMetrics(this.#parts.http, this.#parts.options.writeUrl)
    return metrics === undefined ? undefined : startSecondsOf(metrics)
  }

  /** The remote side is another process: it may be another version, with other options. */
  forget(): void {
    this.facts = undefined
    this.isSuspect = false
  }

  stop(): void {
    this.#isStopped = true
    this.#parts.http.close()
    for (const wake of this.#wakes) wake()
  }

  async #probe(): Promise<void> {
    await this.#retrying(async () => {
      const result = await probe(this.#parts.http, this.#parts.options)
      if ('facts' in result) {
        const { facts } = result
        this.facts = this.#isV2Refused ? { ...facts, protocol: '1.0' } : facts
        this.#parts.onKnown(this.facts)
        return { kind: 'accepted' }
      }
      if (result.isDenied) return { kind: 'denied', text: result.failure }
      return { kind: 'retry', cause: 'connection', text: result.failure, isConnection: true }
    })
  }

  async #retrying(attempt: () => Promise<RemoteAnswer>): Promise<Refusal | undefined> {
    let failures = 0
    try {
      for (;;) {
        const answer = await attempt()
        if (this.#isStopped) throw new Stopped()
        if (answer.kind === 'accepted') return undefined
        if (answer.kind === 'refused') return answer
        if (failures++ === 0) this.#failing++
        const isRetry = answer.kind === 'retry'
        this.retries[isRetry ? answer.cause : answer.kind === 'denied' ? 'denied' : 'unexpected']++
        if (answer.kind === 'protocol') continue
        if (isRetry && answer.isConnection) this.isSuspect = true
        if (answer.kind === 'denied') this.#reloadHeaders()
        this.lastError = { atMs: this.#parts.clock.nowMs(), text: answer.text }
        this.#parts.onFailure(answer.text)
        await this.#pause(pauseMs(failures, this.#parts.random(), isRetry ? answer.retryAfterMs : undefined))
      }
    } finally {
      if (failures > 0) this.#failing--
    }
  }

  #reloadHeaders(): void {
    try {
      this.#parts.http.reloadHeaders()
    } catch (thrown) {
      this.#parts.onFailure(messageOf(thrown))
    }
  }

  async #pause(ms: number): Promise<void> {
    if (!this.#isStopped) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          cancel()
          this.#wakes.delete(wake)
          resolve()
        }
        const cancel = this.#parts.clock.after(ms, wake)
        this.#wakes.add(wake)
      })
    }
    if (this.#isStopped) throw new Stopped()
  }
}

interface DeliveryParts {
  readonly options: Pick<ForwardOptions, 'kind' | 'writeUrl' | 'queryUrl'>
  readonly http: RemoteHttp
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly onKnown: (facts: RemoteFacts) => void
  readonly onFailure: (text: string) => void
}

/** Forwarding ends: the request is sent again by the next run. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
