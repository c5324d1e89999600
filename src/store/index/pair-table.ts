import { grown } from '../../base/grown.ts'
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { METRIC_NAME } from '../../model/labels.ts'

/**
 * Numbers for label pairs: `name="value"` is stored once, and a series is a list of numbers. The writer assigns the
 * numbers; the reader receives them. The next start of the writer removes pairs without series.
 */
export class PairTable {
  /** By number: the kind of the pair's name. */
  #kinds = new Uint8Array(1024)
  readonly #ids = new Map<string, Map<string, number>>()
  readonly #pairs = new Map<number, readonly [name: string, value: string]>()

  get size(): number {
    return this.#pairs.size
  }

  find(name: string, value: string): number | undefined {
    return this.#ids.get(name)?.get(value)
  }

  /** Ignores a known number. */
  add(id: number, name: string, value: string): void {
    if (this.#pairs.has(id)) return
    this.#pairs.set(id, [name, value])
    if (id >= this.#kinds.length) this.#kinds = grown(this.#kinds, Math.max(this.#kinds.length * 2, id + 1))
    this.#kinds[id] = name === METRIC_NAME ? NAMES_METRIC : name === CLUSTER_LABEL ? NAMES_CLUSTER : 0
    const values = this.#ids.get(name)
    if (values === undefined) this.#ids.set(name, new Map([[value, id]]))
    else values.set(value, id)
  }

  /** Of a pair that no series has. */
  remove(id: number): void {
    const pair = this.#pairs.get(id)
    if (pair === undefined) return
    this.#pairs.delete(id)
    this.#ids.get(pair[0])?.delete(pair[1])
  }

  get(id: number): readonly [name: string, value: string] | undefined {
    return this.#pairs.get(id)
  }

  /** HOT: once per new series. The number of the metric name's pair; 0 when there is none. */
  metricOf(pairIds: ArrayLike<number>): number {
    return this.#firstOf(NAMES_METRIC, pairIds)
  }

  /** The number of the cluster's pair; 0 when there is none. */
  clusterOf(pairIds: ArrayLike<number>): number {
    return this.#firstOf(NAMES_CLUSTER, pairIds)
  }

  #firstOf(kind: number, pairIds: ArrayLike<number>): number {
    for (let i = 0; i < pairIds.length; i++) if (this.#kinds[pairIds[i]!] === kind) return pairIds[i]!
    return 0
  }

  /** All label names. */
  names(): IterableIterator<string> {
    return this.#ids.keys()
  }

  /** The values of a label with their numbers. */
  valuesOf(name: string): ReadonlyMap<string, number> {
    return this.#ids.get(name) ?? NO_VALUES
  }
}

/** Kinds of label names. */
const NAMES_METRIC = 1
const NAMES_CLUSTER = 2

const NO_VALUES: ReadonlyMap<string, number> = new Map()
