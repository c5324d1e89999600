import { METRIC_NAME } from '../model/labels.ts'

/**
 * Numbers for label pairs: `name="value"` is stored once, and a series is a list of numbers. The writer gives the
 * numbers out; the reader learns them. A pair that no series has any more goes at the next start of the writer.
 */
export class PairTable {
  readonly #ids = new Map<string, Map<string, number>>()
  readonly #pairs = new Map<number, readonly [name: string, value: string]>()

  get size(): number {
    return this.#pairs.size
  }

  find(name: string, value: string): number | undefined {
    return this.#ids.get(name)?.get(value)
  }

  /** A number that is known already is left as it is. */
  add(id: number, name: string, value: string): void {
    if (this.#pairs.has(id)) return
    this.#pairs.set(id, [name, value])
    const values = this.#ids.get(name)
    if (values === undefined) this.#ids.set(name, new Map([[value, id]]))
    else values.set(value, id)
  }

  get(id: number): readonly [name: string, value: string] | undefined {
    return this.#pairs.get(id)
  }

  /** Names of all labels. */
  names(): IterableIterator<string> {
    return this.#ids.keys()
  }

  /** The values of a label with their numbers. */
  valuesOf(name: string): ReadonlyMap<string, number> {
    return this.#ids.get(name) ?? NO_VALUES
  }
}

const NO_VALUES: ReadonlyMap<string, number> = new Map()

/** The number of the pair that names the metric of a series; 0 when it has no name. */
export function metricIdOf(pairs: PairTable, pairIds: ArrayLike<number>): number {
  for (let i = 0; i < pairIds.length; i++) if (pairs.get(pairIds[i]!)?.[0] === METRIC_NAME) return pairIds[i]!
  return 0
}
