import { firstIndexWhere } from './first-index.ts'
import { invariant } from './invariant.ts'

/** Values at places, of which the greatest up to any place is asked for; both take steps as the logarithm of the places (Fenwick). */
export class PrefixMaxima {
  readonly #places: readonly number[]
  /** At `i`, of the places `i - (i & -i)` to `i - 1`. */
  readonly #maxima: Float64Array

  /** @param places all at which values will be added, in any order */
  constructor(places: readonly number[]) {
    this.#places = [...new Set(places)].sort((a, b) => a - b)
    this.#maxima = new Float64Array(this.#places.length + 1).fill(-Infinity)
  }

  add(place: number, value: number): void {
    const maxima = this.#maxima
    const first = this.#countUpTo(place)
    invariant(this.#places[first - 1] === place, 'a value is added at one of the places')
    for (let i = first; i < maxima.length; i += i & -i) maxima[i] = Math.max(maxima[i]!, value)
  }

  /** The greatest value at this place or before it; -Infinity: there is none. */
  upTo(place: number): number {
    let greatest = -Infinity
    for (let i = this.#countUpTo(place); i > 0; i -= i & -i) greatest = Math.max(greatest, this.#maxima[i]!)
    return greatest
  }

  #countUpTo(place: number): number {
    return firstIndexWhere(this.#places, (one) => one > place)
  }
}
