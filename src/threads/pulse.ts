/**
 * The sign of life of a thread: a counter in shared memory, which the thread raises while its event loop turns and
 * another thread looks at. Real time in place of the clock's, because a thread hangs in real time.
 */

/** How often a thread beats, and how often others look. */
export const BEAT_EVERY_MS = 1000

/** What `startThread` adds to the data of each worker. */
export interface Pulsing {
  readonly pulse: Int32Array
}

export function createPulse(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4))
}

interface Listening {
  on(event: 'message', listener: () => void): unknown
}

/** On the thread itself: from now on it beats once a second. Returns the function that stops it. */
export function beat(pulse: Int32Array): () => void {
  const timer = setInterval(() => {
    Atomics.add(pulse, 0, 1)
  }, BEAT_EVERY_MS).unref()
  return () => {
    clearInterval(timer)
  }
}

/** It also beats with each message: a thread that works through a long queue of them turns no event loop. */
export function beatWith(pulse: Int32Array, ...ports: readonly Listening[]): void {
  for (const port of ports) {
    port.on('message', () => {
      Atomics.add(pulse, 0, 1)
    })
  }
}

/** Another thread's view of a pulse. */
export class PulseWatch {
  readonly #pulse: Int32Array
  #seen: number
  #lookedAtMs: number | undefined
  #silentMs = 0

  constructor(pulse: Int32Array) {
    this.#pulse = pulse
    this.#seen = Atomics.load(pulse, 0)
  }

  /**
   * How long the thread has not beaten. A pause of the whole process (a suspended machine, a processor that others use)
   * counts as two looks at most: the watcher was not running either.
   *
   * @param nowMs monotonic
   */
  silentMs(nowMs: number): number {
    const beats = Atomics.load(this.#pulse, 0)
    const passedMs = Math.min(nowMs - (this.#lookedAtMs ?? nowMs), 2 * BEAT_EVERY_MS)
    this.#silentMs = beats === this.#seen ? this.#silentMs + passedMs : 0
    this.#seen = beats
    this.#lookedAtMs = nowMs
    return this.#silentMs
  }
}
