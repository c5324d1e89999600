import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import type { EngineOptions } from './engine-options.ts'

/** How long the evaluation may hold the thread before it lets others speak (and an abort arrive). */
export const SLICE_MS = 25

/** What one query has used, against what it may. Throws `query_limit`, `query_timeout` or `query_canceled`. */
export class Budget {
  readonly #options: EngineOptions
  readonly #timeoutMs: number
  readonly #nowMs: () => number
  readonly #signal: Cancellation | undefined
  readonly #startedMs: number
  #sliceStartedMs: number
  #waitedMs = 0
  #forgottenMs = 0
  resultBytes = 0
  samplesRead = 0
  seriesRead = 0

  constructor(options: EngineOptions, timeoutMs: number, nowMs: () => number, signal: Cancellation | undefined) {
    this.#options = options
    this.#timeoutMs = timeoutMs
    this.#nowMs = nowMs
    this.#signal = signal
    this.#startedMs = nowMs()
    this.#sliceStartedMs = this.#startedMs
  }

  get elapsedMs(): number {
    return this.#nowMs() - this.#startedMs
  }

  /** How long others had the thread meanwhile. */
  get waitedMs(): number {
    return this.#waitedMs
  }

  /** How long this query had the thread. */
  get busyMs(): number {
    return this.elapsedMs - this.#waitedMs - this.#forgottenMs
  }

  /** Time that is not the query's, as that of explaining it, does not count as busy. */
  forgetMs(ms: number): void {
    this.#forgottenMs += ms
  }

  /** How many samples may still be read. */
  get samplesLeft(): number {
    return this.#options.samplesMax - this.samplesRead
  }

  takeSamples(series: number, samples: number): void {
    this.seriesRead += series
    this.samplesRead += samples
    if (this.samplesLeft < 0) {
      throw new FleetError(
        'query_limit',
        `query processing would load too many samples into memory in query execution: limit is ${this.#options.samplesMax}`,
      )
    }
  }

  /** Before a result of `rows` series by `steps` is made. */
  takeCells(rows: number, steps: number): void {
    this.check()
    this.resultBytes += rows * steps * 9
    if (this.resultBytes > this.#options.resultBytesMax) {
      throw new FleetError(
        'query_limit',
        `query would need ${this.resultBytes} bytes for intermediate results: limit is ${this.#options.resultBytesMax}`,
        { hint: 'ask for fewer series, a shorter range or a longer step' },
      )
    }
  }

  /** Called between pieces of work; cheap. */
  check(): void {
    if (this.#signal?.aborted === true) {
      throw new FleetError('query_canceled', 'query was canceled in expression evaluation')
    }
    if (this.elapsedMs > this.#timeoutMs) {
      throw new FleetError('query_timeout', `query timed out in expression evaluation: limit is ${this.#timeoutMs} ms`)
    }
  }

  /** Whether this query has held its thread for long: then it should breathe. */
  get isSliceOver(): boolean {
    return this.#nowMs() - this.#sliceStartedMs >= SLICE_MS
  }

  /** Gives the thread away for a moment when this query has held it for long. */
  async breathe(): Promise<void> {
    this.check()
    const stoppedMs = this.#nowMs()
    if (stoppedMs - this.#sliceStartedMs < SLICE_MS) return
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.#sliceStartedMs = this.#nowMs()
    this.#waitedMs += this.#sliceStartedMs - stoppedMs
    this.check()
  }
}
