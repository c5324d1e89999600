import type { Clock } from '../base/clock.ts'

/** Limits what is sent in a second, by its samples and by its bytes: after each portion a pause as long as it was worth. */
export class Pace {
  readonly #clock: Clock
  readonly #perSecond: { readonly samples: number; readonly bytes: number }
  /** When the next portion may be sent. */
  #nextMs = -Infinity

  /** @param perSecond Infinity: no limit */
  constructor(clock: Clock, perSecond: { readonly samples: number; readonly bytes: number }) {
    this.#clock = clock
    this.#perSecond = perSecond
  }

  /** Resolves when a portion may be sent. */
  async take(samples: number, bytes: number): Promise<void> {
    const nowMs = this.#clock.nowMs()
    const waitMs = this.#nextMs - nowMs
    const worthMs = Math.max(samples / this.#perSecond.samples, bytes / this.#perSecond.bytes) * 1000
    this.#nextMs = Math.max(nowMs, this.#nextMs) + worthMs
    if (waitMs > 0) await new Promise<void>((resolve) => void this.#clock.after(waitMs, resolve))
  }
}
