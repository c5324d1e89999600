/**
 * Received samples per cluster since the start, by cluster number: counting is an addition in a column, once per series
 * and request. Clusters beyond the limit, and series without a cluster, share number 0.
 */
const CLUSTERS_MAX = 65_536

/** Of one cluster, in samples; of OTLP, data points, spans and log records. */
export interface ClusterActivity {
  readonly cluster: string
  readonly taken: number
  readonly refused: number
  /** Of standby replicas. */
  readonly duplicate: number
  /** Time of the last request. */
  readonly heardMs: number
}

export class ClusterActivityTable {
  readonly #names = ['']
  readonly #numbers = new Map<string, number>([['', 0]])
  #taken = new Float64Array(64)
  #refused = new Float64Array(64)
  #duplicate = new Float64Array(64)
  #heardMs = new Float64Array(64)

  get clusterCount(): number {
    return this.#names.length - 1
  }

  /** Without the empty one. */
  names(): readonly string[] {
    return this.#names.slice(1)
  }

  numberOf(cluster: string): number {
    const known = this.#numbers.get(cluster)
    if (known !== undefined) return known
    if (this.#names.length > CLUSTERS_MAX) return 0
    const number = this.#names.push(cluster) - 1
    this.#numbers.set(cluster, number)
    if (number === this.#taken.length) {
      this.#taken = doubled(this.#taken)
      this.#refused = doubled(this.#refused)
      this.#duplicate = doubled(this.#duplicate)
      this.#heardMs = doubled(this.#heardMs)
    }
    return number
  }

  /** HOT: once per series and request. */
  count(number: number, taken: number, refused: number, duplicate: number, nowMs: number): void {
    this.#taken[number] = this.#taken[number]! + taken
    this.#refused[number] = this.#refused[number]! + refused
    this.#duplicate[number] = this.#duplicate[number]! + duplicate
    this.#heardMs[number] = nowMs
  }

  /** At most `max` clusters that have any, the largest first. */
  top(by: 'taken' | 'refused', max: number): ClusterActivity[] {
    return this.#names
      .map((cluster, number) => ({
        cluster,
        taken: this.#taken[number]!,
        refused: this.#refused[number]!,
        duplicate: this.#duplicate[number]!,
        heardMs: this.#heardMs[number]!,
      }))
      .filter((activity) => activity[by] > 0)
      .sort((a, b) => b[by] - a[by])
      .slice(0, max)
  }
}

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(column.length * 2)
  grown.set(column)
  return grown
}
