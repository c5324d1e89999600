/**
 * Stops requests to a store that does not answer, so that no rule and no page waits for one timeout after the other. After some
 * failures in a row requests fail at once; after a pause one request tests the store.
 */
import { FleetError } from '../base/errors.ts'

/** Failures in a row after which requests fail at once. */
export const FAILURES_MAX = 3
export const PAUSE_MS = 1000
/** Pauses double up to this one. */
export const PAUSE_MS_MAX = 30_000

export class Breaker {
  readonly #nowMs: () => number
  readonly #name: string
  #failures = 0
  #untilMs = 0
  #isTesting = false
  /** Of the last failure. */
  #reason = ''

  /** @param nowMs monotonic. @param name of the store, for messages */
  constructor(nowMs: () => number, name: string) {
    this.#nowMs = nowMs
    this.#name = name
  }

  /** Why requests fail at once; `undefined`: they are sent. */
  get fault(): string | undefined {
    return this.#failures < FAILURES_MAX ? undefined : this.#reason
  }

  /** Call before a request. Throws FleetError `remote_unavailable`. */
  admit(): void {
    if (this.#failures < FAILURES_MAX) return
    const leftMs = this.#untilMs - this.#nowMs()
    if (leftMs <= 0 && !this.#isTesting) {
      this.#isTesting = true
      return
    }
    throw new FleetError(
      'remote_unavailable',
      `${this.#name} failed ${this.#failures} times in a row: ${this.#reason}`,
      {
        hint: `it is tested again in ${Math.max(1, Math.ceil(leftMs / 1000))} s; check it, and the network to it`,
      },
    )
  }

  /** The store answered, whatever the answer was. Returns whether the request before had failed. */
  succeed(): boolean {
    const hadFailed = this.#failures > 0
    this.#failures = 0
    this.#isTesting = false
    return hadFailed
  }

  fail(reason: string): void {
    this.#failures++
    this.#isTesting = false
    this.#reason = reason
    if (this.#failures < FAILURES_MAX) return
    const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** (this.#failures - FAILURES_MAX))
    this.#untilMs = this.#nowMs() + pauseMs
  }

  /** The request ended without a result, because it was canceled. */
  leave(): void {
    this.#isTesting = false
  }
}
