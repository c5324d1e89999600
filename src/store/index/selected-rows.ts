import type { LabelRows } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'

/** The part of the index that rows use. */
export interface RowIndex {
  readonly generation: Generation
  slotOf(ref: SeriesRef): number
  labelsOf(ref: SeriesRef): Labels
  valueOf(ref: SeriesRef, name: string): string
  labelsOfPairIds(pairIds: Uint32Array): Labels
}

/**
 * The time between two removals of series. Holders of rows of an earlier generation find the labels of removed series
 * here; both are garbage-collected together.
 */
export class Generation {
  #removed: ReadonlyMap<SeriesRef, Uint32Array> = new Map()
  #next: Generation | undefined

  /** Ends this generation. `removed`: the pair numbers of each removed series. */
  end(removed: ReadonlyMap<SeriesRef, Uint32Array>): Generation {
    this.#removed = removed
    this.#next = new Generation()
    return this.#next
  }

  /** The pair numbers of a series that was removed at the end of this generation or of a later one. */
  pairIdsOfRemoved(ref: SeriesRef): Uint32Array | undefined {
    const pairIds = this.#removed.get(ref)
    if (pairIds !== undefined || this.#next === undefined) return pairIds
    return this.#next.pairIdsOfRemoved(ref)
  }
}

/** The series that matchers found, rising by ref. Lists of one lineage have the same rows as far as both go. */
export class SelectedRows implements LabelRows {
  readonly refs: Uint32Array
  readonly lineage: object
  readonly #slots: Int32Array
  readonly #index: RowIndex
  readonly #generation: Generation

  /** `grown`: what the rows before new series were, of the same generation. */
  constructor(refs: Uint32Array, index: RowIndex, grown?: SelectedRows) {
    this.refs = refs
    this.lineage = grown?.lineage ?? {}
    this.#index = index
    this.#generation = index.generation
    this.#slots = new Int32Array(refs.length)
    if (grown !== undefined) this.#slots.set(grown.#slots)
    for (let row = grown?.length ?? 0; row < refs.length; row++) this.#slots[row] = index.slotOf(refs[row]!)
  }

  get length(): number {
    return this.refs.length
  }

  /** Bytes that these rows take. */
  get bytes(): number {
    return this.refs.byteLength + this.#slots.byteLength
  }

  /** The slots of all rows; -1 for a removed series. Do not retain. */
  slots(): Int32Array {
    if (this.#index.generation === this.#generation) return this.#slots
    return Int32Array.from(this.refs, (ref) => this.#index.slotOf(ref))
  }

  /** The slot of one row; -1 when the series was removed meanwhile. */
  slotAt(row: number): number {
    return this.#index.generation === this.#generation ? this.#slots[row]! : this.#index.slotOf(this.refs[row]!)
  }

  at(row: number): Labels {
    const ref = this.refs[row]!
    const removed = this.#generation.pairIdsOfRemoved(ref)
    return removed === undefined ? this.#index.labelsOf(ref) : this.#index.labelsOfPairIds(removed)
  }

  valueAt(row: number, name: string): string {
    const ref = this.refs[row]!
    const removed = this.#generation.pairIdsOfRemoved(ref)
    return removed === undefined ? this.#index.valueOf(ref, name) : this.at(row).get(name)
  }
}
