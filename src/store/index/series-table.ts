import { grown } from '../../base/grown.ts'
import { invariant } from '../../base/invariant.ts'
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { Labels, METRIC_NAME } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import { IdLists } from './id-lists.ts'
import { PairTable } from './pair-table.ts'
import { RefTable } from './ref-table.ts'

/** Refs and pair numbers are 32-bit words: at a million new series a day that lasts eleven years. */
const REF_MAX = 0xffffffff

/** A stored series: the numbers of its label pairs, by label name. */
export interface SeriesRow {
  readonly ref: SeriesRef
  readonly slot: number
  readonly pairIds: ArrayLike<number>
}

export interface PairRow {
  readonly id: number
  readonly name: string
  readonly value: string
}

/**
 * All series with samples on the writer's side: label set to slot, ref to slot. No SQL here; new pairs and series, and those
 * that were cold, wait in `newPairs`, `newSeries` and `warmSeries` for the next commit.
 */
export class SeriesTable {
  readonly pairs = new PairTable()
  readonly refs = new RefTable()
  /** What the last commit did not have yet, oldest first. */
  newPairs: PairRow[] = []
  newSeries: SeriesRow[] = []
  /** Series that were cold, and are not stored as warm ones yet. */
  warmSeries: SeriesRow[] = []
  /** Pairs, and series of both kinds, that readers do not have yet. */
  unannounced: { readonly pairs: PairRow[]; readonly series: SeriesRow[] } = { pairs: [], series: [] }
  #refOfSlot = new Float64Array(1024)
  readonly #aliases = new Map<number, readonly SeriesRef[]>()
  readonly #ids = new IdLists()
  /** Open addressing: slot + 1, 0 for empty, -1 for left behind by a removal. */
  #buckets = new Int32Array(1024)
  #filled = 0
  #seriesCount = 0
  /** For each pair, one less than its number of series. */
  readonly #uses = new RefTable()
  /** Series per number of the cluster's pair; 0: series without a cluster. */
  readonly #byCluster = new Map<number, number>()
  /** The label set of the last `find`, and its slot; undefined when series were added or removed since. */
  #sought: Labels | undefined
  #soughtSlot = -1
  /** Its names and values, and the numbers of its pairs, 0 for new ones. */
  #soughtFlat: readonly string[] = []
  #soughtIds: number[] = []
  #nextRef: number
  #nextPairId: number
  readonly #knownMetric: (name: string) => number | undefined

  /**
   * @param nextRef @param nextPairId larger than all that were ever used in this directory
   * @param knownMetric the number of a metric name that only cold series have
   */
  constructor(
    nextRef: number,
    nextPairId: number,
    knownMetric: (name: string) => number | undefined = () => undefined,
  ) {
    this.#nextRef = nextRef
    this.#nextPairId = nextPairId
    this.#knownMetric = knownMetric
  }

  get seriesCount(): number {
    return this.#seriesCount
  }

  /** Series of one cluster; the empty text: series without a cluster. */
  seriesOf(cluster: string): number {
    const id = cluster === '' ? 0 : this.pairs.find(CLUSTER_LABEL, cluster)
    return id === undefined ? 0 : (this.#byCluster.get(id) ?? 0)
  }

  /**
   * The slot of a label set, or -1. A caller that does not find a series usually asks for it again and then creates it.
   * HOT: once or twice per new series.
   */
  find(labels: Labels): number {
    if (labels === this.#sought) return this.#soughtSlot
    const { flat } = labels
    const ids: number[] = []
    const before = this.#soughtFlat
    let isKnown = true
    // Neighbours in a request share most of their pairs, and comparing two texts is less than two searches.
    for (let i = 0, at = 0; i < flat.length; i += 2) {
      const name = flat[i]!
      const value = flat[i + 1]!
      if (before[at + 2] === name) at += 2
      let id = 0
      if (before[at] === name) {
        if (before[at + 1] === value) id = this.#soughtIds[at / 2]!
        at += 2
      }
      if (id === 0) id = this.pairs.find(name, value) ?? 0
      if (id === 0) isKnown = false
      ids.push(id)
    }
    this.#sought = labels
    this.#soughtFlat = flat
    this.#soughtIds = ids
    this.#soughtSlot = isKnown ? this.#buckets[this.#bucketOf(ids)]! - 1 : -1
    return this.#soughtSlot
  }

  /** Creates a series in an empty slot. The label set must be unknown. @param coldRef of a series that was cold */
  create(labels: Labels, slot: number, coldRef?: SeriesRef): SeriesRef {
    this.find(labels)
    const pairIds = this.#soughtIds
    const { flat } = labels
    for (let i = 0; i < pairIds.length; i++) {
      if (pairIds[i] === 0) pairIds[i] = this.#newPair(flat[i * 2]!, flat[i * 2 + 1]!)
    }
    invariant(this.#nextRef <= REF_MAX, 'refs fit 32 bits')
    const row = { ref: coldRef ?? this.#nextRef++, slot, pairIds }
    this.add(row)
    this.#sought = labels
    this.#soughtSlot = slot
    this.unannounced.series.push(row)
    if (coldRef === undefined) this.newSeries.push(row)
    else this.warmSeries.push(row)
    return row.ref
  }

  /** A series that is written down already, or has just been made. */
  add(row: SeriesRow): void {
    this.#sought = undefined
    if ((this.#filled + 1) * 2 > this.#buckets.length) this.#rehash()
    const bucket = this.#bucketOf(row.pairIds)
    if (this.#buckets[bucket] === 0) this.#filled++
    this.#buckets[bucket] = row.slot + 1
    if (row.slot >= this.#refOfSlot.length) {
      this.#refOfSlot = grown(this.#refOfSlot, Math.max(this.#refOfSlot.length * 2, row.slot + 1))
    }
    this.#refOfSlot[row.slot] = row.ref
    this.#ids.set(row.slot, row.pairIds)
    this.refs.set(row.ref, row.slot)
    for (let i = 0; i < row.pairIds.length; i++) this.#uses.set(row.pairIds[i]!, this.#uses.get(row.pairIds[i]!) + 1)
    this.#seriesCount++
    this.#countCluster(row.pairIds, 1)
  }

  /** The ref of the series in a slot; 0 when the slot is empty. */
  refOf(slot: number): SeriesRef {
    return this.#refOfSlot[slot] ?? 0
  }

  /** A ref of a series that ended, for the series that has its labels now. */
  addAlias(ref: SeriesRef, slot: number): void {
    this.refs.set(ref, slot)
    this.#aliases.set(slot, [...(this.#aliases.get(slot) ?? []), ref])
  }

  remove(slot: number): void {
    // It may have numbers of pairs that are removed here.
    this.#sought = undefined
    this.#soughtFlat = []
    this.#soughtIds = []
    for (const alias of this.#aliases.get(slot) ?? []) this.refs.delete(alias)
    this.#aliases.delete(slot)
    const ids = [...this.#ids.get(slot)]
    const bucket = this.#bucketOf(ids)
    invariant(this.#buckets[bucket] === slot + 1, 'a series is found under its own labels')
    this.#buckets[bucket] = -1
    this.refs.delete(this.refOf(slot))
    this.#refOfSlot[slot] = 0
    this.#ids.remove(slot)
    this.#seriesCount--
    this.#countCluster(ids, -1)
    for (const id of ids) {
      const others = this.#uses.get(id)
      if (others > 0) this.#uses.set(id, others - 1)
      else {
        this.#uses.delete(id)
        this.pairs.remove(id)
      }
    }
  }

  /** The pairs that only series in these slots have. */
  pairsOnlyOf(slots: readonly number[]): readonly number[] {
    const uses = new Map<number, number>()
    for (const slot of slots) for (const id of this.#ids.get(slot)) uses.set(id, (uses.get(id) ?? 0) + 1)
    return [...uses].flatMap(([id, count]) => (this.#uses.get(id) + 1 === count ? [id] : []))
  }

  /** Call when all stored series are added: stored pairs without series are not needed in memory. */
  removeUnusedPairs(): void {
    for (const id of [...this.pairs.ids()]) if (this.#uses.get(id) < 0) this.pairs.remove(id)
  }

  /** Refs of all series, rising. */
  sortedRefs(): Float64Array {
    const refs = this.#refOfSlot.filter((ref) => ref !== 0)
    return refs.sort() // of numbers, without a comparison function: it is as fast as the machine
  }

  /** The number of the metric name's pair of a slot's series; 0 for a series without a name. */
  metricOf(slot: number): number {
    return this.pairs.metricOf(this.#ids.get(slot))
  }

  labelsOf(slot: number): Labels {
    return labelsOfPairs(this.pairs, this.#ids.get(slot))
  }

  #countCluster(pairIds: ArrayLike<number>, change: number): void {
    const id = this.pairs.clusterOf(pairIds)
    const count = (this.#byCluster.get(id) ?? 0) + change
    if (count === 0) this.#byCluster.delete(id)
    else this.#byCluster.set(id, count)
  }

  #newPair(name: string, value: string): number {
    invariant(this.#nextPairId <= REF_MAX, 'pair numbers fit 32 bits')
    const id = (name === METRIC_NAME ? this.#knownMetric(value) : undefined) ?? this.#nextPairId++
    this.pairs.add(id, name, value)
    this.newPairs.push({ id, name, value })
    this.unannounced.pairs.push({ id, name, value })
    return id
  }

  /** Where the series of these pairs is, or the place where it would go. */
  #bucketOf(ids: ArrayLike<number>): number {
    const mask = this.#buckets.length - 1
    let free = -1
    for (let bucket = hashOf(ids) & mask; ; bucket = (bucket + 1) & mask) {
      const entry = this.#buckets[bucket]!
      if (entry === 0) return free === -1 ? bucket : free
      if (entry === -1) free = free === -1 ? bucket : free
      else if (this.#ids.isEqual(entry - 1, ids)) return bucket
    }
  }

  #rehash(): void {
    const old = this.#buckets
    let size = 1024
    while (size < (this.#seriesCount + 1) * 4) size *= 2
    this.#buckets = new Int32Array(size)
    this.#filled = 0
    for (const entry of old) {
      if (entry <= 0) continue
      this.#buckets[this.#bucketOf(this.#ids.get(entry - 1))] = entry
      this.#filled++
    }
  }
}

/** The label set of stored pair numbers. A number that is unknown is a bug or a damaged file. */
export function labelsOfPairs(pairs: Pick<PairTable, 'get'>, pairIds: ArrayLike<number>): Labels {
  const flat: string[] = []
  for (let i = 0; i < pairIds.length; i++) {
    const pair = pairs.get(pairIds[i]!)
    invariant(pair !== undefined, 'the pairs of a series are written down before it')
    flat.push(pair[0], pair[1])
  }
  return Labels.fromFlat(flat)
}

function hashOf(ids: ArrayLike<number>): number {
  let hash = 0x9e3779b9
  for (let i = 0; i < ids.length; i++) {
    hash = Math.imul(hash ^ ids[i]!, 0x85ebca6b)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}
