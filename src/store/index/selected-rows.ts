import type { LabelRows } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import type { ColdRows } from './cold-selection.ts'
import { unite } from './sorted-refs.ts'

/** The part of the index that rows use. */
export interface RowIndex {
  readonly generation: Generation
  slotOf(ref: SeriesRef): number
  labelsOf(ref: SeriesRef): Labels
  valueOf(ref: SeriesRef, name: string): string
  /** The number of the metric name's pair; 0 for a series without a name. */
  metricOf(ref: SeriesRef): number
}

/** A series that was removed from the index. */
export interface RemovedSeries {
  readonly metric: number
  readonly labels: Labels
}

/**
 * The time between two removals of series. Holders of rows of an earlier generation find the labels of removed series
 * here; both are garbage-collected together.
 */
export class Generation {
  #removed: ReadonlyMap<SeriesRef, RemovedSeries> = new Map()
  #next: Generation | undefined

  /** Ends this generation. */
  end(removed: ReadonlyMap<SeriesRef, RemovedSeries>): Generation {
    this.#removed = removed
    this.#next = new Generation()
    return this.#next
  }

  /** A series that was removed at the end of this generation or of a later one. */
  removed(ref: SeriesRef): RemovedSeries | undefined {
    let found = this.#removed.get(ref)
    for (let next = this.#next; found === undefined && next !== undefined; next = next.#next) {
      found = next.#removed.get(ref)
    }
    return found
  }
}

/** The series that matchers found, rising by ref. Lists of one lineage have the same rows as far as both go. */
export class SelectedRows implements LabelRows {
  readonly refs: Uint32Array
  readonly lineage: object
  readonly #slots: Int32Array
  readonly #index: RowIndex
  readonly #generation: Generation
  readonly #cold: ColdRows | undefined

  /**
   * @param grown what the rows before new series were, of the same generation
   * @param cold further series, which the index does not have; a row that it has too is as there
   */
  constructor(refs: Uint32Array, index: RowIndex, grown?: SelectedRows, cold?: ColdRows) {
    this.refs = refs
    this.#cold = cold
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

  /** These rows and cold ones. */
  with(cold: ColdRows): SelectedRows {
    if (cold.size === 0) return this
    return new SelectedRows(unite([this.refs, Uint32Array.from(cold.keys())]), this.#index, undefined, cold)
  }

  /** Whether one of them is cold and has, or had, native histograms. */
  get hasColdHistograms(): boolean {
    if (this.#cold === undefined) return false
    for (const { hasHistograms } of this.#cold.values()) if (hasHistograms) return true
    return false
  }

  /** Time of the newest sample of a cold series; -Infinity: it is not cold. */
  coldLastMs(ref: SeriesRef): number {
    return this.#cold?.get(ref)?.lastMs ?? -Infinity
  }

  /** The number of the metric's name by which the samples of a row's series are stored. Bound: callers pass it on. */
  readonly metricOf = (ref: SeriesRef): number => {
    const cold = this.#cold?.get(ref)
    if (cold !== undefined) return cold.metric
    if (this.#index.generation === this.#generation) return this.#index.metricOf(ref)
    return this.#generation.removed(ref)?.metric ?? this.#index.metricOf(ref)
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
    return this.labelsOf(this.refs[row]!)
  }

  /** The labels of a row's series. */
  labelsOf(ref: SeriesRef): Labels {
    return this.#absent(ref)?.labels ?? this.#index.labelsOf(ref)
  }

  valueAt(row: number, name: string): string {
    const ref = this.refs[row]!
    return this.#absent(ref)?.labels.get(name) ?? this.#index.valueOf(ref, name)
  }

  /** HOT: once per row. A series that the index does not have, or no longer has. */
  #absent(ref: SeriesRef): { readonly labels: Labels } | undefined {
    return this.#cold?.get(ref) ?? this.#generation.removed(ref)
  }
}
