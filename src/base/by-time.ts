import { firstIndexWhere } from './first-index.ts'

/** Items in an order of their own, found by time without a walk over all; their times need not rise. */
export class ByTime<T> {
  readonly #items: readonly T[]
  /** Rising. */
  readonly #times: readonly number[]
  /** Of the item of each time. */
  readonly #places: readonly number[]
  /** The last place of the items until each time. */
  readonly #lastPlaces: readonly number[]

  constructor(items: readonly T[], timeOf: (item: T) => number) {
    const times = items.map(timeOf)
    this.#items = items
    this.#places = times.map((_, place) => place).sort((a, b) => times[a]! - times[b]!)
    this.#times = this.#places.map((place) => times[place]!)
    let last = -1
    this.#lastPlaces = this.#places.map((place) => (last = Math.max(last, place)))
  }

  /** The last one in their order that is not later. */
  lastUntil(timeMs: number): T | undefined {
    return this.#items[this.#lastPlaces[firstIndexWhere(this.#times, (ms) => ms > timeMs) - 1] ?? -1]
  }

  lastBefore(timeMs: number): T | undefined {
    return this.#items[this.#lastPlaces[this.#firstFrom(timeMs) - 1] ?? -1]
  }

  /** The places in their order of those from `fromMs` to before `toMs`. */
  placesWithin(fromMs: number, toMs: number): readonly number[] {
    return this.#places.slice(this.#firstFrom(fromMs), this.#firstFrom(toMs)).sort((a, b) => a - b)
  }

  #firstFrom(timeMs: number): number {
    return firstIndexWhere(this.#times, (ms) => ms >= timeMs)
  }
}
