import { setImmediate } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'

/** What failed, with the cluster or the stage it failed for. */
export interface CycleFailure {
  readonly subject: string
  readonly error: string
}

/** One cycle of the fleet loop, as its stages see it. */
export interface LoopCycle {
  readonly nowMs: number
  /** Runs `step` until it answers false or `budgetMs` are over; queries on this thread run between its slices. */
  within(budgetMs: number, step: () => Promise<boolean>): Promise<void>
  /** Reports what failed; the cycle goes on. */
  fail(subject: string, thrown: unknown): void
}

/** Work without a pause for what else waits on this thread. */
const SLICE_MS = 15
const FAILURES_MAX = 10

/** @param stopwatchMs milliseconds that only rise */
export class StartedCycle implements LoopCycle {
  readonly nowMs: number
  /** At most `FAILURES_MAX`. */
  readonly failures: CycleFailure[] = []
  readonly #stopwatchMs: () => number
  readonly #startedMs: number

  constructor(nowMs: number, stopwatchMs: () => number) {
    this.nowMs = nowMs
    this.#stopwatchMs = stopwatchMs
    this.#startedMs = stopwatchMs()
  }

  get tookMs(): number {
    return this.#stopwatchMs() - this.#startedMs
  }

  async within(budgetMs: number, step: () => Promise<boolean>): Promise<void> {
    const startedMs = this.#stopwatchMs()
    let sliceMs = startedMs
    while (await step()) {
      const timeMs = this.#stopwatchMs()
      if (timeMs - startedMs >= budgetMs) return
      if (timeMs - sliceMs < SLICE_MS) continue
      await setImmediate()
      sliceMs = this.#stopwatchMs()
    }
  }

  fail(subject: string, thrown: unknown): void {
    if (this.failures.length < FAILURES_MAX) this.failures.push({ subject, error: messageOf(thrown) })
  }

  /** Runs a stage; when it throws, that is a failure of this name, and the stages after it still run. */
  async run<T>(stage: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (thrown) {
      this.fail(stage, thrown)
      return undefined
    }
  }
}
