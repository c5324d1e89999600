import { invariant } from '../base/invariant.ts'

/** The location of a body in the ring. */
export interface BodyPlace {
  readonly start: number
  readonly length: number
  isFree: boolean
}

/**
 * Shared memory through which request bodies go from main to the ingest worker, so that a message carries only their
 * location. This is main's side: it takes places and gives them back; the worker reads the places named by messages.
 *
 * ```
 *    | free | taken, given back | taken | taken | free |        places are taken and reused in order; a place that is
 *           ^ oldest                            ^ next          not given back blocks the reuse of those behind it
 * ```
 */
export class BodyRing {
  readonly #bytes: Uint8Array
  /** Oldest first. No place wraps around the end of the memory. */
  readonly #places: BodyPlace[] = []
  #next = 0

  constructor(memory: SharedArrayBuffer) {
    this.#bytes = new Uint8Array(memory)
  }

  /** Copies a body into the ring, piece by piece; `undefined` when there is no room now. */
  take(body: readonly Uint8Array[]): BodyPlace | undefined {
    let length = 0
    for (const piece of body) length += piece.length
    const start = this.#roomFor(length)
    if (start === undefined) return undefined
    this.#next = start
    for (const piece of body) {
      this.#bytes.set(piece, this.#next)
      this.#next += piece.length
    }
    const place = { start, length, isFree: false }
    this.#places.push(place)
    return place
  }

  /** Frees the place of a body that is no longer read. */
  giveBack(place: BodyPlace): void {
    invariant(!place.isFree, 'a place is given back once')
    place.isFree = true
    let used = 0
    while (this.#places[used]?.isFree === true) used++
    if (used > 0) this.#places.splice(0, used)
    if (this.#places.length === 0) this.#next = 0
  }

  #roomFor(size: number): number | undefined {
    const oldest = this.#places[0]?.start
    if (oldest === undefined) return size <= this.#bytes.length ? 0 : undefined
    if (this.#next > oldest) {
      if (this.#next + size <= this.#bytes.length) return this.#next
      return size < oldest ? 0 : undefined
    }
    return this.#next + size < oldest ? this.#next : undefined
  }
}
