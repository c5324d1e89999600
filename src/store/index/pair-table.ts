import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { METRIC_NAME } from '../../model/labels.ts'

/**
 * Numbers for label pairs: `name="value"` is stored once, and a series is a list of numbers. The writer assigns the
 * numbers; the reader receives them. Both remove a pair with its last series, and a later series gets another number.
 */
export class PairTable {
  /** Numbers of the pairs that name a metric, and a cluster. */
  readonly #metrics = new Set<number>()
  readonly #clusters = new Set<number>()
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
    if (name === METRIC_NAME) this.#metrics.add(id)
    else if (name === CLUSTER_LABEL) this.#clusters.add(id)
    const values = this.#ids.get(name)
    if (values === undefined) this.#ids.set(name, new Map([[value, id]]))
    else values.set(value, id)
  }

  /** Of a pair that no series has. */
  remove(id: number): void {
    const pair = this.#pairs.get(id)
    if (pair === undefined) return
    this.#pairs.delete(id)
    this.#metrics.delete(id)
    this.#clusters.delete(id)
    const [name, value] = pair
    const values = this.#ids.get(name)
    // The pair may have got another number since.
    if (values?.get(value) !== id) return
    values.delete(value)
    if (values.size === 0) this.#ids.delete(name)
  }

  get(id: number): readonly [name: string, value: string] | undefined {
    return this.#pairs.get(id)
  }

  /** HOT: once per new series. The number of the metric name's pair; 0 when there is none. */
  metricOf(pairIds: ArrayLike<number>): number {
    return firstIn(this.#metrics, pairIds)
  }

  /** The number of the cluster's pair; 0 when there is none. */
  clusterOf(pairIds: ArrayLike<number>): number {
    return firstIn(this.#clusters, pairIds)
  }

  /** Numbers of all pairs. */
  ids(): IterableIterator<number> {
    return this.#pairs.keys()
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

function firstIn(wanted: ReadonlySet<number>, pairIds: ArrayLike<number>): number {
  for (let i = 0; i < pairIds.length; i++) if (wanted.has(pairIds[i]!)) return pairIds[i]!
  return 0
}

const NO_VALUES: ReadonlyMap<string, number> = new Map()
