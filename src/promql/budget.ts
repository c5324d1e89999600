import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import { ownTurn, type Yield } from '../base/thread-slices.ts'
import { RegexWork } from '../model/regex-limits.ts'
import type { EngineOptions } from './engine-options.ts'
import type { MemoryPool, PoolUser } from './memory-pool.ts'

/** How long the evaluation may hold the thread before it yields to other work (and an abort can arrive). */
export const SLICE_MS = 25

/** What the budgets of an engine share. */
export interface BudgetShares {
  /** How a query yields the thread; with a turn of its own when absent. */
  readonly turn?: Yield
  /** The memory of all queries of requests; without this limit when absent. */
  readonly pool?: MemoryPool
}

/**
 * The resources that one query has used, with its limits. Throws `query_limit`, `query_timeout`, `query_canceled` or
 * `overloaded`.
 */
export class Budget implements PoolUser {
  readonly #options: EngineOptions
  readonly #timeoutMs: number
  readonly #nowMs: () => number
  readonly #signal: Cancellation | undefined
  readonly #turn: Yield
  readonly #pool: MemoryPool | undefined
  readonly #startedMs: number
  #sliceStartedMs: number
  /** How long other work had the thread. */
  waitedMs = 0
  #forgottenMs = 0
  resultBytes = 0
  #eviction: string | undefined
  samplesRead = 0
  seriesRead = 0
  /** Of all selections of the query; functions have a limit per text, because they yield the thread between texts. */
  readonly regexWork: RegexWork

  constructor(
    options: EngineOptions,
    timeoutMs: number,
    nowMs: () => number,
    signal: Cancellation | undefined,
    { turn = ownTurn, pool }: BudgetShares = {},
  ) {
    this.#options = options
    this.#timeoutMs = timeoutMs
    this.#nowMs = nowMs
    this.#signal = signal
    this.#turn = turn
    this.#pool = pool
    this.#startedMs = nowMs()
    this.#sliceStartedMs = this.#startedMs
    this.regexWork = new RegexWork(options.regexStepsMax)
  }

  get options(): EngineOptions {
    return this.#options
  }

  get elapsedMs(): number {
    return this.#nowMs() - this.#startedMs
  }

  /** How long this query had the thread. */
  get busyMs(): number {
    return this.elapsedMs - this.waitedMs - this.#forgottenMs
  }

  /** Excludes time of other work, such as the explanation itself, from the busy time. */
  excludeMs(ms: number): void {
    this.#forgottenMs += ms
  }

  /** The number of samples that may still be read. */
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

  /** Call before creating a result of `rows` series by `steps`. */
  takeCells(rows: number, steps: number): void {
    this.check()
    this.resultBytes += rows * steps * 9
    if (this.resultBytes > this.#options.resultBytesMax) {
      throw new FleetError(
        'query_limit',
        `query would need ${this.resultBytes} bytes for intermediate results: limit is ${this.#options.resultBytesMax}`,
        { hint: 'select fewer series, a shorter range or a longer step' },
      )
    }
    this.holdBytes(rows * steps * 9)
  }

  /** Call before creating so many bytes that live until the query ends. */
  holdBytes(bytes: number): void {
    this.#pool?.grow(this, bytes)
    this.#checkMemory()
  }

  /** The query ends at its next check, with this sentence. */
  evict(reason: string): void {
    this.#eviction = reason
  }

  /** Call when the query has ended. */
  release(): void {
    this.#pool?.release(this)
  }

  #checkMemory(): void {
    if (this.#eviction === undefined) return
    throw new FleetError('overloaded', this.#eviction, {
      hint: 'retry later, or select fewer series, a shorter range or a longer step',
    })
  }

  /** Call between pieces of work; cheap. */
  check(): void {
    if (this.#signal?.aborted === true) {
      throw new FleetError('query_canceled', 'query was canceled in expression evaluation')
    }
    if (this.elapsedMs > this.#timeoutMs) {
      throw new FleetError('query_timeout', `query timed out in expression evaluation: limit is ${this.#timeoutMs} ms`)
    }
    this.#checkMemory()
  }

  /** Whether this query has held the thread for `SLICE_MS`: it should yield then. */
  get isSliceOver(): boolean {
    return this.#nowMs() - this.#sliceStartedMs >= SLICE_MS
  }

  /** Yields the thread when this query has held it for `SLICE_MS`. */
  async yieldThread(): Promise<void> {
    this.check()
    const stoppedMs = this.#nowMs()
    if (stoppedMs - this.#sliceStartedMs < SLICE_MS) return
    await this.#turn()
    this.#sliceStartedMs = this.#nowMs()
    this.waitedMs += this.#sliceStartedMs - stoppedMs
    this.check()
  }
}
