import { invariant } from '../base/invariant.ts'

/** Where a body lies. */
export interface BodyPlace {
  readonly start: number
  readonly length: number
  isFree: boolean
}

/**
 * Shared memory through which request bodies go from main to the ingest worker: no allocation and no copy by the
 * message that names them. Main's side: it takes places and gives them back; the worker reads the places that messages name.
 *
 * ```
 *    | free | taken, given back | taken | taken | free |        places are taken in order and used again in order;
 *           ^ oldest                            ^ next          one that is not given back holds up those behind it
 * ```
 */
export class BodyRing {
  readonly #bytes: Uint8Array
  /** Oldest first. None spans the end of the memory. */
  readonly #places: BodyPlace[] = []
  #next = 0

  constructor(memory: SharedArrayBuffer) {
    this.#bytes = new Uint8Array(memory)
  }

  /** Copies a body in, from the pieces in which it arrived; `undefined` when there is no room now. */
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

  /** Nobody reads the body any more. */
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
