import type { Clock } from '../../src/base/clock.ts'

interface Timer {
  readonly dueMs: number
  readonly run: () => void
}

/** A clock that stands still until the test moves it. Timers run in the order of their due times. */
export class FakeClock implements Clock {
  #nowMs: number
  #timers: Timer[] = []

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): () => void {
    const timer: Timer = { dueMs: this.#nowMs + delayMs, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Moves time on without running timers: for a test that calls the work itself. */
  set(nowMs: number): void {
    this.#nowMs = nowMs
  }

  /** Moves time on and runs every timer that comes due on the way, each at its own time. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs
    for (;;) {
      const due = this.#timers.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0]
      if (due === undefined) break
      this.#timers = this.#timers.filter((timer) => timer !== due)
      this.#nowMs = Math.max(this.#nowMs, due.dueMs)
      due.run()
    }
    this.#nowMs = endMs
  }
}
